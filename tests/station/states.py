"""A public state of every kind, as a station sends it: for golden screens, axe, and pictures."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from pi_app.station.public.state import (
    PublicFlag,
    PublicGuide,
    PublicResult,
    PublicSeat,
    PublicSquare,
    PublicState,
    StateName,
)

LANGUAGES: Final = ("en", "de", "es", "fr", "it")
ADDRESS: Final = "http://10.77.0.1/"
HEAD: Final = "TRAPDIAL1 " + " ".join(["ABCDEFGHIJ"] * 21 + ["ABCDEFGH"])

_NAMES: Final = {"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français", "it": "Italiano"}
_CHOOSE: Final = {
    "en": "Tap to change",
    "de": "Tippen zum Wechseln",
    "es": "Toca para cambiar",
    "fr": "Touchez pour changer",
    "it": "Tocca per cambiare",
}
_FLAGS: Final = {
    "en": "Choose your language: tap. Begin: hold.",
    "de": "Wählt eure Sprache: tippen. Beginnen: halten.",
    "es": "Elige tu idioma: toca. Empieza: mantén.",
    "fr": "Choisissez votre langue\u00a0: touchez. Commencez\u00a0: tenez.",
    "it": "Scegli la lingua: tocca. Comincia: tieni.",
}
_BEGIN: Final = {
    "en": "Tap a button, turn a dial, or scan with your phone.",
    "de": "Tippt auf eine Taste, dreht einen Anzeiger oder nehmt euer Handy.",
    "es": "Toca un botón, gira un disco o usa tu teléfono.",
    "fr": "Touchez un bouton, tournez un disque ou prenez votre téléphone.",
    "it": "Tocca un pulsante, gira un disco o usa il telefono.",
}
_TURN: Final = {
    "en": "Turn a dial by as many clicks as you rolled.",
    "de": "Dreht einen Anzeiger um so viele Klicks, wie ihr gewürfelt habt.",
    "es": "Gira un disco tantos clics como ha salido en el dado.",
    "fr": "Tournez un disque d’autant de crans que le dé l’indique.",
    "it": "Gira un disco di tanti scatti quanti ne indica il dado.",
}
_WARNS: Final = {
    "en": "Is anybody still playing? Tap a button.",
    "de": "Spielt noch jemand? Tippt auf eine Taste.",
    "es": "¿Alguien sigue jugando? Toca un botón.",
    "fr": "Quelqu’un joue-t-il encore\u00a0? Touchez un bouton.",
    "it": "Qualcuno gioca ancora? Tocca un pulsante.",
}
_THANKS: Final = {
    "en": "That was Trapdial. Come back any time.",
    "de": "Das war Trapdial. Kommt gern wieder.",
    "es": "Eso fue Trapdial. Vuelve cuando quieras.",
    "fr": "C’était Trapdial. Revenez quand vous voulez.",
    "it": "Questo era Trapdial. Torna quando vuoi.",
}
_TROUBLE: Final = {
    "en": "The dial of T02 does not answer. Push its plug in.",
    "de": "Der Anzeiger von T02 antwortet nicht. Drückt seinen Stecker hinein.",
    "es": "El disco de T02 no responde. Empuja su conector.",
    "fr": "Le disque de T02 ne répond pas. Enfoncez sa fiche.",
    "it": "Il disco di T02 non risponde. Spingi la sua spina.",
}
_SEATS: Final = (PublicSeat(name="P1", active=True), PublicSeat(name="P2", phone=True), PublicSeat(name="P3"))
_SQUARES: Final = (
    PublicSquare(label="T01", state="exposed", text="exposed by P1"),
    PublicSquare(label="T02", state="concealed", text="concealed"),
    PublicSquare(label="T03", state="triggered", text="triggered by P2"),
    PublicSquare(label="T04", state="disarmed", text="disarmed by P3 (quick attempt)"),
)
_RESULTS: Final = (
    PublicResult(seats=3, exposed=5, triggered=1, disarmed=2, xp=7, head=HEAD),
    PublicResult(seats=2, exposed=4, triggered=2, disarmed=1, xp=3, head=HEAD),
)

SHOWN: Final[dict[str, tuple[StateName, dict[str, Any]]]] = {
    "attract": ("attract", {"says": _BEGIN, "results": _RESULTS}),
    "joining": ("joining", {"says": _FLAGS, "results": _RESULTS, "seats": _SEATS}),
    "guided": ("guided", {"says": _TURN, "squares": _SQUARES[:1], "seats": _SEATS}),
    "free": ("free", {"says": {}, "squares": _SQUARES, "seats": _SEATS}),
    "warning": ("free", {"says": _WARNS, "squares": _SQUARES, "seats": _SEATS, "warning_s": 9}),
    "thanks": ("thanks", {"says": _THANKS, "results": _RESULTS, "head": HEAD}),
    "reset": ("reset", {}),
    "closed": ("closed", {}),
    "trouble": ("attract", {"says": _BEGIN, "results": _RESULTS, "trouble": _TROUBLE}),
}


def state(name: str, language: str = "en", **other: Any) -> PublicState:
    """A public state by its name in SHOWN. `language`: of the visit; the others can be chosen."""
    kind, more = SHOWN[name]
    flags = tuple(PublicFlag(language=each, name=_NAMES[each], says=_CHOOSE[each]) for each in LANGUAGES)
    guide = PublicGuide(steps=({}, {}, _TURN, {}, {}), step=2, seat="P1") if name == "guided" else None
    made = PublicState(
        state=kind,
        language=language,
        languages=(language, *(each for each in LANGUAGES if each != language)),
        flags=flags if name == "joining" else (),
        guide=guide,
        join=ADDRESS,
        simulated=True,
        **more,
    )
    return msgspec.structs.replace(made, **other)
