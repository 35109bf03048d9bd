"""Switches that let something else compute in place of a kernel or a stage; what comes out is compared as a run."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QLabel, QVBoxLayout, QWidget

from engine.inspection.results import GraphNode, NodeKind
from engine.validator.data.kernel_request import Replacement, Substitute

SPACE_PIXELS = 4
PLAIN_LOOPS = "This call of the kernel without its schedule"
PLAIN_LOOPS_MEANING = "Run the kernel's TIR as plain loops: if that is right, the fault is in the schedule"
KERNEL_IN_PYTORCH = "This call of the kernel in PyTorch"
KERNEL_IN_PYTORCH_MEANING = "Compute it in PyTorch: if everything after it is right then, it is the only fault"
STAGE_IN_PYTORCH = "This stage in PyTorch"
STAGE_IN_PYTORCH_MEANING = "Compute the whole stage in PyTorch: if the speech is right then, the fault is in this stage"


class KernelSwitches(QWidget):
    """`replacements_wanted` carries all `Replacement`s that are switched on, of all stages; at least one.

    They belong to one run: `forget` switches all off.
    """

    replacements_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stage: str | None = None
        self._node: GraphNode | None = None
        self._wanted: tuple[Replacement, ...] = ()
        self.plain_loops = _switch(PLAIN_LOOPS, PLAIN_LOOPS_MEANING, self)
        self.kernel_in_pytorch = _switch(KERNEL_IN_PYTORCH, KERNEL_IN_PYTORCH_MEANING, self)
        self.stage_in_pytorch = _switch(STAGE_IN_PYTORCH, STAGE_IN_PYTORCH_MEANING, self)
        self.note = QLabel(self)
        self.note.setObjectName("faint")
        self.note.setWordWrap(True)
        self.note.setAccessibleName("What is replaced")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        for switch in self._switches:
            layout.addWidget(switch)
            switch.clicked.connect(self._on_switch)
        layout.addWidget(self.note)
        layout.addStretch(1)
        self.show_node(None, None)

    @property
    def wanted(self) -> tuple[Replacement, ...]:
        """What is switched on."""
        return self._wanted

    def show_node(self, stage: str | None, node: GraphNode | None) -> None:
        """Offer to replace this node's kernel, or this stage."""
        self._stage = stage
        self._node = node if node is not None and node.kind is NodeKind.KERNEL else None
        for switch, replacement in self._offered().items():
            switch.setEnabled(replacement is not None)
            switch.setChecked(replacement in self._wanted)

    def forget(self) -> None:
        """Switch everything off, without a signal."""
        self._wanted = ()
        self.say("")
        for switch in self._switches:
            switch.setChecked(False)

    def say(self, words: str) -> None:
        """Say what came of it."""
        self.note.setText(words)
        self.note.setVisible(bool(words))

    @property
    def _switches(self) -> tuple[QCheckBox, ...]:
        return self.plain_loops, self.kernel_in_pytorch, self.stage_in_pytorch

    def _offered(self) -> dict[QCheckBox, Replacement | None]:
        if self._stage is None:
            return dict.fromkeys(self._switches)
        whole = Replacement(self._stage, None, Substitute.PYTORCH)
        if self._node is None:
            return {self.plain_loops: None, self.kernel_in_pytorch: None, self.stage_in_pytorch: whole}
        return {
            self.plain_loops: Replacement(self._stage, self._node.id, Substitute.PLAIN_LOOPS),
            self.kernel_in_pytorch: Replacement(self._stage, self._node.id, Substitute.PYTORCH),
            self.stage_in_pytorch: whole,
        }

    @Slot()
    def _on_switch(self) -> None:
        for switch, replacement in self._offered().items():
            if replacement is not None and switch.isChecked() != (replacement in self._wanted):
                kept = tuple(each for each in self._wanted if not _exclude(each, replacement))
                self._wanted = (*kept, replacement) if switch.isChecked() else kept
                break
        self.show_node(self._stage, self._node)
        if self._wanted:
            self.replacements_wanted.emit(self._wanted)
        else:
            self.say("")


def _exclude(one: Replacement, other: Replacement) -> bool:
    """Whether two replacements cannot both be: one place computed in two ways, or a stage and a part of it."""
    if one.stage != other.stage:
        return False
    return one.node == other.node or one.node is None or other.node is None


def _switch(title: str, meaning: str, parent: QWidget) -> QCheckBox:
    switch = QCheckBox(title, parent)
    switch.setToolTip(meaning)
    return switch
