"""Defines the units and currencies of each language: singular, plural and the form after “per”."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class InflectedUnit:
    """The singular and plural names of a unit, its gender if a noun, and its form after a slash."""

    one: str
    many: str
    per: str = ""
    is_noun: bool = False
    feminine: bool = False


def unchanging(names: dict[str, str]) -> dict[str, InflectedUnit]:
    """Return units whose names do not change with the number."""
    return {symbol: InflectedUnit(name, name) for symbol, name in names.items()}


def _table(per: str, text: str, special: dict[str, str] | None = None) -> dict[str, InflectedUnit]:
    """Parse lines of symbols, “:”, the singular, “/”, the plural; “f” after the colon marks a feminine name."""
    return dict(_lines(per, text, special or {}))


def _lines(per: str, text: str, special: dict[str, str]) -> Iterator[tuple[str, InflectedUnit]]:
    for line in filter(None, map(str.strip, text.splitlines())):
        symbols, _, names = line.partition(": ")
        one, _, many = names.removeprefix("f ").partition(" / ")
        for symbol in symbols.split():
            behind = special.get(symbol, f"{per} {one}")
            yield symbol, InflectedUnit(one, many or one, behind, symbol not in "%‰", names.startswith("f "))


SPANISH_UNITS = _table("por", """
    km Km KM: kilómetro / kilómetros
    m: metro / metros
    dm: decímetro / decímetros
    cm: centímetro / centímetros
    mm: milímetro / milímetros
    km² km2: kilómetro cuadrado / kilómetros cuadrados
    m² m2: metro cuadrado / metros cuadrados
    cm² cm2: centímetro cuadrado / centímetros cuadrados
    m³ m3: metro cúbico / metros cúbicos
    cm³ cm3: centímetro cúbico / centímetros cúbicos
    kg Kg KG: kilogramo / kilogramos
    g: gramo / gramos
    mg: miligramo / miligramos
    t: f tonelada / toneladas
    l L: litro / litros
    dl: decilitro / decilitros
    cl: centilitro / centilitros
    ml mL: mililitro / mililitros
    ha: f hectárea / hectáreas
    h: f hora / horas
    min: minuto / minutos
    s: segundo / segundos
    W: vatio / vatios
    kW: kilovatio / kilovatios
    MW: megavatio / megavatios
    kWh: kilovatio hora / kilovatios hora
    V: voltio / voltios
    Hz: hercio / hercios
    kHz: kilohercio / kilohercios
    MHz: megahercio / megahercios
    GHz: gigahercio / gigahercios
    MB: megabyte / megabytes
    GB: gigabyte / gigabytes
    °C: grado Celsius / grados Celsius
    °F: grado Fahrenheit / grados Fahrenheit
    °: grado / grados
    %: por ciento
    ‰: por mil
    €: euro / euros
    $: dólar / dólares
    £: f libra / libras
    ¥: yen / yenes
    ₹: f rupia / rupias
    R$: real / reales
    M€: millón de euros / millones de euros
""")  # fmt: skip
FRENCH_UNITS = _table("par", """
    km Km KM: kilomètre / kilomètres
    m: mètre / mètres
    dm: décimètre / décimètres
    cm: centimètre / centimètres
    mm: millimètre / millimètres
    km² km2: kilomètre carré / kilomètres carrés
    m² m2: mètre carré / mètres carrés
    cm² cm2: centimètre carré / centimètres carrés
    m³ m3: mètre cube / mètres cubes
    cm³ cm3: centimètre cube / centimètres cubes
    kg Kg KG: kilogramme / kilogrammes
    g: gramme / grammes
    mg: milligramme / milligrammes
    t: f tonne / tonnes
    l L: litre / litres
    dl: décilitre / décilitres
    cl: centilitre / centilitres
    ml mL: millilitre / millilitres
    ha: hectare / hectares
    h: f heure / heures
    min mn: f minute / minutes
    s: f seconde / secondes
    W: watt / watts
    kW: kilowatt / kilowatts
    MW: mégawatt / mégawatts
    kWh: kilowattheure / kilowattheures
    V: volt / volts
    Hz: hertz
    kHz: kilohertz
    MHz: mégahertz
    GHz: gigahertz
    Mo: mégaoctet / mégaoctets
    Go: gigaoctet / gigaoctets
    °C: degré Celsius / degrés Celsius
    °F: degré Fahrenheit / degrés Fahrenheit
    °: degré / degrés
    %: pour cent
    ‰: pour mille
    €: euro / euros
    $: dollar / dollars
    £: f livre / livres
    ¥: yen / yens
    ₹: f roupie / roupies
    R$: réal / réaux
    M€: million d'euros / millions d'euros
""")  # fmt: skip
ITALIAN_UNITS = _table("per", """
    km Km KM: chilometro / chilometri
    m: metro / metri
    dm: decimetro / decimetri
    cm: centimetro / centimetri
    mm: millimetro / millimetri
    km² km2: chilometro quadrato / chilometri quadrati
    m² m2 mq: metro quadrato / metri quadrati
    cm² cm2: centimetro quadrato / centimetri quadrati
    m³ m3 mc: metro cubo / metri cubi
    cm³ cm3: centimetro cubo / centimetri cubi
    kg Kg KG: chilogrammo / chilogrammi
    g: grammo / grammi
    mg: milligrammo / milligrammi
    t: f tonnellata / tonnellate
    l L: litro / litri
    dl: decilitro / decilitri
    cl: centilitro / centilitri
    ml mL: millilitro / millilitri
    ha: ettaro / ettari
    h: f ora / ore
    min: minuto / minuti
    s: secondo / secondi
    W: watt
    kW: chilowatt
    MW: megawatt
    kWh: chilowattora
    V: volt
    Hz: hertz
    kHz: chilohertz
    MHz: megahertz
    GHz: gigahertz
    MB: megabyte
    GB: gigabyte
    °C: grado Celsius / gradi Celsius
    °F: grado Fahrenheit / gradi Fahrenheit
    °: grado / gradi
    %: per cento
    ‰: per mille
    €: euro
    $: dollaro / dollari
    £: f sterlina / sterline
    ¥: yen
    ₹: f rupia / rupie
    R$: real
    M€: milione di euro / milioni di euro
""", {"h": "all'ora", "s": "al secondo", "min": "al minuto", "kg": "al chilo"})  # fmt: skip
PORTUGUESE_UNITS = _table("por", """
    km Km KM: quilômetro / quilômetros
    m: metro / metros
    dm: decímetro / decímetros
    cm: centímetro / centímetros
    mm: milímetro / milímetros
    km² km2: quilômetro quadrado / quilômetros quadrados
    m² m2: metro quadrado / metros quadrados
    cm² cm2: centímetro quadrado / centímetros quadrados
    m³ m3: metro cúbico / metros cúbicos
    cm³ cm3: centímetro cúbico / centímetros cúbicos
    kg Kg KG: quilograma / quilogramas
    g: grama / gramas
    mg: miligrama / miligramas
    t: f tonelada / toneladas
    l L: litro / litros
    dl: decilitro / decilitros
    cl: centilitro / centilitros
    ml mL: mililitro / mililitros
    ha: hectare / hectares
    h: f hora / horas
    min: minuto / minutos
    s: segundo / segundos
    W: watt / watts
    kW: quilowatt / quilowatts
    MW: megawatt / megawatts
    kWh: quilowatt-hora / quilowatts-hora
    V: volt / volts
    Hz: hertz
    kHz: quilohertz
    MHz: megahertz
    GHz: gigahertz
    MB: megabyte / megabytes
    GB: gigabyte / gigabytes
    °C: grau Celsius / graus Celsius
    °F: grau Fahrenheit / graus Fahrenheit
    °: grau / graus
    %: por cento
    ‰: por mil
    €: euro / euros
    $: dólar / dólares
    £: f libra / libras
    ¥: iene / ienes
    ₹: f rúpia / rúpias
    R$: real / reais
    M€: milhão de euros / milhões de euros
""")  # fmt: skip
