"""The nodes of a stage's graph as a list that can be searched and sorted, with one selection."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QBrush, QColor, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QTreeWidget, QTreeWidgetItem, QWidget

from app.diagnostics.colors import FollowsTheme, PlainSelection, tone_color
from app.diagnostics.kernels.inspection import (
    KINDS,
    TITLES,
    TONES,
    StageInspection,
    describe_state,
    format_duration,
    format_error,
    format_short_error,
    severity,
)
from engine.validator.data.wording import NOTHING
from engine.validator.inspection.results import GraphNode, KernelMeasurement, NodeKind

TITLE, ERROR, TIME, MODULE = range(4)
HEADINGS = ("Kernel", "× float32", "Time", "Module")
WIDTHS_PIXELS = {ERROR: 88, TIME: 70}
"""Fixed widths: measuring every row would block the window with each new measurement."""
MIN_TITLE_PIXELS, TITLE_SHARE = 110, 0.33
MIN_PIXELS = 60


class KernelItem(QTreeWidgetItem):
    """An input, a kernel or an output of a stage; `place` is its position in the order of the calls."""

    def __init__(self, node: GraphNode, place: int) -> None:
        super().__init__()
        self.node, self.place = node, place
        self.measurement: KernelMeasurement | None = None
        self.words = " ".join((node.label, node.kernel, node.module_path, *node.operators, node.id)).lower()
        self.setText(TITLE, node.label)
        self.setText(MODULE, node.module_path)
        self.setTextAlignment(TIME, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.show_measurement(None)

    def show_measurement(self, found: KernelMeasurement | None) -> None:
        """Show the measurement of the node."""
        node, self.measurement = self.node, found
        self.setText(ERROR, format_short_error(found) if node.kind is NodeKind.KERNEL else "")
        self.setText(TIME, format_duration(found.seconds) if found is not None else NOTHING)
        if found is not None:
            heard = f"{TITLES[found.verdict]}, {format_error(found)}"
            self.setData(ERROR, int(Qt.ItemDataRole.AccessibleTextRole), heard)
            self.setForeground(ERROR, QBrush(QColor(tone_color(TONES[found.verdict]))))
        tip = f"{node.label}, {node.module_path or KINDS[node.kind]}: {describe_state(node, found)}"
        for column in range(len(HEADINGS)):
            self.setToolTip(column, tip)

    def __lt__(self, other: QTreeWidgetItem) -> bool:
        """Compare by severity; of equals, the one called later is less, because the list is sorted in reverse."""
        assert isinstance(other, KernelItem)
        one, two = severity(self.measurement), severity(other.measurement)
        return (one, -self.place) < (two, -other.place)


class KernelList(FollowsTheme, QTreeWidget):
    """The list of a stage's nodes; `node_chosen` carries the ID of a node."""

    node_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: StageInspection | None = None
        self._items: dict[str, KernelItem] = {}
        self._searched = ""
        self._worst_first = False
        self.setHeaderLabels(HEADINGS)
        self.setObjectName("kernels")
        self.setAccessibleName("Kernels of the stage")
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setItemDelegateForColumn(ERROR, PlainSelection(self))
        self.header().setMinimumSectionSize(MIN_PIXELS)
        for column, width in WIDTHS_PIXELS.items():
            self.header().resizeSection(column, width)
        self.itemSelectionChanged.connect(self._on_selection)

    @property
    def shown_nodes(self) -> tuple[str, ...]:
        """The IDs of the visible nodes, from the top."""
        return tuple(item.node.id for item in self._in_order() if not item.isHidden())

    def show_stage(self, known: StageInspection | None) -> None:
        """List the nodes of a stage, with no selection."""
        with QSignalBlocker(self):
            self.clear()
            self._known = known
            nodes = known.graph.nodes if known is not None else ()
            self._items = {node.id: KernelItem(node, place) for place, node in enumerate(nodes)}
            self.addTopLevelItems([*self._items.values()])
            self.refresh()
            self.search(self._searched)

    def refresh(self) -> None:
        """Show the measurements that have changed."""
        measured = self._known.measurements if self._known is not None else {}
        changed = [item for name, item in self._items.items() if measured.get(name) is not item.measurement]
        for item in changed:
            item.show_measurement(measured.get(item.node.id))
        if changed and self._worst_first:
            self.put_worst_first(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the titles their share of the width."""
        super().resizeEvent(event)
        self.header().resizeSection(TITLE, max(MIN_TITLE_PIXELS, round(TITLE_SHARE * self.width())))

    def restyle(self) -> None:
        """Apply the colors of the theme."""
        for item in self._items.values():
            item.show_measurement(item.measurement)

    def choose(self, node: str | None) -> None:
        """Select a node's row if it is listed; emits nothing."""
        item = self._items.get(node or "")
        with QSignalBlocker(self):
            if item is None or item.isHidden():
                self.clearSelection()
            elif not item.isSelected():
                self.setCurrentItem(item)
                self.scrollToItem(item)

    @Slot(str)
    def search(self, words: str) -> None:
        """List the nodes whose label, kernel, module or operators contain these words."""
        self._searched = words
        for item in self._items.values():
            hidden = words.strip().lower() not in item.words
            if hidden != item.isHidden():  # each call lays out the list again
                item.setHidden(hidden)

    @Slot(bool)
    def put_worst_first(self, wanted: bool) -> None:
        """Sort by error, or list in the order of the calls."""
        self._worst_first = wanted
        chosen = self.currentItem()
        items = sorted(self._items.values(), reverse=True) if wanted else [*self._items.values()]
        with QSignalBlocker(self):
            while self.takeTopLevelItem(0) is not None:
                pass
            self.addTopLevelItems(items)
            self.search(self._searched)
            if chosen is not None:
                self.setCurrentItem(chosen)

    def _in_order(self) -> list[KernelItem]:
        found = (self.topLevelItem(row) for row in range(self.topLevelItemCount()))
        return [item for item in found if isinstance(item, KernelItem)]

    @Slot()
    def _on_selection(self) -> None:
        chosen = self.selectedItems()
        if chosen and isinstance(chosen[0], KernelItem):
            self.node_chosen.emit(chosen[0].node.id)
