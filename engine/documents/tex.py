"""Simple formulas in the notation of TeX, in the signs of plain text."""

from __future__ import annotations

import re

from engine.documents.raised import LOWERED, RAISED

_NAMES = {
    "times": "×", "cdot": "·", "div": "÷", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠",
    "neq": "≠", "approx": "≈", "infty": "∞", "degree": "°", "circ": "°", "to": "→", "rightarrow": "→", "alpha": "α",
    "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ", "epsilon": "ε", "varepsilon": "ε", "theta": "θ",
    "lambda": "λ", "mu": "μ", "pi": "π", "rho": "ρ", "sigma": "σ", "Sigma": "Σ", "tau": "τ", "phi": "φ", "varphi": "φ",
    "psi": "ψ", "omega": "ω", "Omega": "Ω", "sin": " sin ", "cos": " cos ", "tan": " tan ", "log": " log ",
    "ln": " ln ", "exp": " exp ", "ldots": "…", "dots": "…", "left": "", "right": "", "quad": " ", "qquad": " ",
}  # fmt: skip
_STEPS = (
    (re.compile(r"\\(?:text|mathrm|mathbf|mathit|operatorname)\s*\{([^{}\\]*)\}"), r" \1 "),
    (re.compile(r"\\[dt]?frac\s*\{([^{}\\]*)\}\s*\{([^{}\\]*)\}"), r" \1 over \2 "),
    (re.compile(r"\\sqrt\s*\{([^{}\\]*)\}"), r" square root of \1 "),
)
_COMMAND = re.compile(r"\\([A-Za-z]+)\s*")
_SPACES = re.compile(r"\\[,;:! ]|~")
_RAISE = re.compile(r"\^(?:\{([+−-]?\d+)\}|(\d))")
_POWER_OF_VARIABLE = re.compile(r"\^(?:\{n\}|n\b)")
_LOWER = re.compile(r"_(?:\{(\d+)\}|(\d))")
_RELATION = re.compile(r"\s*([=<>≤≥≠≈+×÷±→]|(?<=[\w)²³])\s*[-−](?=\s*\w))\s*")
_LEFT = re.compile(r"[\\{}_$&#]|\^(?!n\b)")
_LONGEST = 200


def plain_formula(source: str) -> str | None:
    """A formula in plain signs; None if it is more than can be read so."""
    text = " ".join(source.split())
    if not text or len(text) > _LONGEST:
        return None
    text = _COMMAND.sub(lambda match: _NAMES.get(match[1], match[0]), _SPACES.sub(" ", text))
    text = _LOWER.sub(lambda match: (match[1] or match[2]).translate(LOWERED), text)
    text = _RAISE.sub(lambda match: (match[1] or match[2]).translate(RAISED), text)
    text = _POWER_OF_VARIABLE.sub("^n", text)
    for _ in range(3):  # from the inside out
        for pattern, plain in _STEPS:
            text = pattern.sub(plain, text)
    if _LEFT.search(text):
        return None
    return " ".join(_RELATION.sub(lambda match: f" {match[1].strip()} ", text).split())
