"""Every fault that can be injected, as data: nothing here needs TVM."""

from __future__ import annotations

from engine.errors import InvalidRequest
from engine.validator.faults.fault import Edit, Fault

_ANY_LENGTH = r"T\.max\(T\.min\(T\.Cast\(\"int64\", lengths\[batch_index\]\), time\), T\.int64\(0\)\)"

FAULTS: tuple[Fault, ...] = (
    Fault(
        "dropped-length",
        "A length is dropped",
        "duration",
        "recurrence",
        Edit(rf"length: T\.int64 = {_ANY_LENGTH}", "length: T.int64 = time"),
        "The LSTM of the duration stage ignores the length of the sentence and runs to the end of its array.",
        "The rhythm changes when a sentence shares its array with a longer one; alone it is right.",
        needs_padding=True,
    ),
    Fault(
        "shifted-frame",
        "The waveform is a frame late",
        "istft",
        "inverse_stft",
        Edit(
            r"column: T\.int64 = frame \* T\.int64\((\d+)\)",
            r"column: T.int64 = T.max(frame - T.int64(1), T.int64(0)) * T.int64(\1)",
        ),
        "The inverse STFT reads the spectrum of the frame before.",
        "Everything plays 25 ms late, which is noticeable only when words are highlighted as they are spoken.",
    ),
    Fault(
        "half-precision",
        "One convolution has half the precision",
        "f0n",
        "conv1d",
        Edit(
            r"(weight\[block, point[^\]]*\]) \* packed\[",
            r'T.reinterpret("float32", T.bitwise_and(T.reinterpret("uint32", \1) + T.uint32(4096), '
            r"T.uint32(4294959104))) * packed[",
            everywhere=True,
        ),
        "A Winograd convolution of pitch and energy rounds its weights to the ten bits that float16 has.",
        "Inaudible: the error is a hundred times as large, but still far below the threshold of hearing.",
    ),
    Fault(
        "swapped-gates",
        "Two gates of an LSTM are swapped",
        "text_encoder",
        "recurrence",
        Edit(r"gates\[block, (2 \+ )?vector, lane\]", r"gates[block, 2 - (\g<1>0) + vector, lane]", everywhere=True),
        "The LSTM of the text encoder takes its input gate for its forget gate, and the other way round.",
        "Length and melody stay as they are; the sounds themselves are blurred.",
    ),
    Fault(
        "zeroed-noise",
        "The noise is zero",
        "source",
        "harmonic_source",
        Edit(r'T\.Cast\("float64", excitation\[[^\]]*\]\)', "T.float64(0.0)"),
        "The harmonic source multiplies its noise by nothing.",
        "The voice has no breath, which is easy to see and hard to hear.",
    ),
    Fault(
        "gelu-constant",
        "A constant of the GELU is wrong",
        "bert",
        "linear",
        Edit(r"T\.float32\(1\.59576\d*\)", "T.float32(1.2)", everywhere=True),
        "The epilogue of a linear layer computes its GELU with 0.6 instead of the root of 2 / pi, 0.8.",
        "Rhythm and stress move a little, for which most listeners would blame the model.",
    ),
    Fault(
        "softmax-multiple",
        "A softmax forgets the last keys of some lengths",
        "bert",
        "attention",
        Edit(
            r"for block in range\((length // (T\.int64\(\d+\)))\):"
            r"(\s+for lane in T\.vectorized\(\d+\):\s+partial\[lane\] = partial\[lane\] \+ scores)",
            r"for block in range(\1 - T.Select(length % \2 == T.int64(0), T.int64(1), T.int64(0))):\3",
        ),
        "Where the number of tokens is a multiple of a vector’s length, the sum of the softmax leaves out a vector.",
        "Sentences of some lengths have a different rhythm.",
        text="Most days begin with the sun.",
    ),
    Fault(
        "norm-epsilon",
        "An epsilon has lost its exponent",
        "text_encoder",
        "layer_norm",
        Edit(r"T\.float64\(1\.0*1?e-05\)", "T.float64(0.1)"),
        "The layer norm of the text encoder adds 0.1 to the variance instead of 0.00001.",
        "Hardly audible.",
    ),
    Fault(
        "style-scale",
        "The style’s scale lacks a tenth",
        "duration",
        "adaptive_layer_norm",
        Edit(r"\(T\.float64\(1\.0\) \+ T\.Cast\(\"float64\", styles", '(T.float64(0.9) + T.Cast("float64", styles'),
        "The adaptive layer norm multiplies by 0.9 + gamma instead of 1 + gamma.",
        "The rhythm changes.",
    ),
    Fault(
        "lost-bias",
        "A bias is lost",
        "duration",
        "lstm_offset",
        Edit(r'total\[0\] = T\.Cast\("float64", bias\[[^\]]*\]\)', "total[0] = T.float64(0.0)"),
        "The part of an LSTM’s gates that is the same at every step leaves out the bias.",
        "The rhythm changes.",
    ),
    Fault(
        "winograd-coefficient",
        "A coefficient of a Winograd transform is wrong",
        "decoder",
        "conv1d",
        Edit(r"T\.float32\(-0\.625\) \* streams", "T.float32(-0.5625) * streams"),
        "One coefficient of the input transform of F(4, 3) is -0.5625 instead of -0.625.",
        "The sound is a little rougher.",
    ),
    Fault(
        "upsampling-coefficient",
        "A coefficient of the upsampling is wrong",
        "decoder",
        "conv_transpose1d",
        Edit(r"begin_1 \+ joined\[2, v\]", "begin_1 + T.float32(0.75) * joined[2, v]"),
        "One coefficient of the output transform of a transposed convolution is 0.75 instead of 1.",
        "The sound is rough, and 2 dB quieter.",
    ),
    Fault(
        "convolution-tail",
        "The last tile of a convolution is a column late",
        "f0n",
        "conv1d",
        Edit(
            r"= spilled\[row, column\]",
            "= spilled[row, T.max(column - T.int64(1), T.int64(0))]",
        ),
        "Where the last tile of the direct convolution isn’t full, its columns are stored one late.",
        "In sentences of some lengths, the melody of the last syllables is off.",
    ),
    Fault(
        "norm-tail",
        "A norm leaves out the last column of some lengths",
        "f0n",
        "adaptive_norm",
        Edit(
            r"for lane in range\(length - whole\):(\s+last_1\[lane\] = source)",
            r"for lane in range(length - whole - T.int64(1)):\1",
        ),
        "Where the number of columns isn’t a multiple of a vector’s length, the last one is normalized to nothing.",
        "In sentences of some lengths, the melody of the last syllable is off.",
    ),
    Fault(
        "leaky-slope",
        "The slope of a leaky ReLU is wrong",
        "decoder",
        "adaptive_norm",
        Edit(r"T\.float32\(0\.2000\d*\)", "T.float32(0.02)", everywhere=True),
        "The epilogue of a normalization multiplies negative values by 0.02 instead of 0.2.",
        "A slightly different timbre.",
    ),
    Fault(
        "late-pool",
        "An upsampling reads its neighbor",
        "f0n",
        "depthwise",
        Edit(r"padded\[column \+ T\.int64\(1\) - T\.Cast", "padded[column + T.int64(2) - T.Cast"),
        "The depthwise transposed convolution reads the value after the one it should.",
        "The melody runs ahead of the words.",
    ),
    Fault(
        "exponential-constant",
        "The exponential loses a digit of ln 2",
        "decoder",
        "exponential",
        Edit(r"T\.float32\(0\.693115\d*\)", "T.float32(0.683115234375)"),
        "The exponential of the spectrum’s magnitudes is reduced with 0.683 instead of 0.693.",
        "Everything is a fifth of a decibel louder, which is inaudible.",
    ),
)
"""The faults listed first, then one in each other kernel."""


def fault_named(name: str) -> Fault:
    """Return the fault of this name; raises `InvalidRequest` that lists all names."""
    found = next((fault for fault in FAULTS if fault.name == name), None)
    if found is None:
        raise InvalidRequest(f"Unknown fault “{name}”.", f"Faults: {', '.join(fault.name for fault in FAULTS)}.")
    return found
