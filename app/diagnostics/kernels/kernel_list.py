"""The nodes of a stage's graph as a list that can be searched and sorted; one can be chosen."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QTreeView, QWidget

from app.diagnostics.colours import PlainSelection
from app.diagnostics.kernels.inspection import StageInspection, severity
from app.diagnostics.kernels.words import (
    KINDS,
    TITLES,
    error_words,
    short_words,
    state_words,
    time_words,
    verdict_colour,
)
from app.theme import LIGHT, Colours
from engine.inspection.results import GraphNode, KernelMeasurement, NodeKind
from engine.validator.data.wording import NOTHING

TITLE, ERROR, TIME, MODULE = range(4)
HEADINGS = ("Kernel", "× float32", "Time", "Module")
SEARCHED_ROLE = int(Qt.ItemDataRole.UserRole)
ORDER_ROLE = SEARCHED_ROLE + 1
WIDTHS_PIXELS = {TITLE: 140, ERROR: 88, TIME: 70}
"""Fixed to begin with: measuring every row would hold up the window each time a measurement comes in."""
LEAST_PIXELS = 60
Index = QModelIndex | QPersistentModelIndex


class KernelModel(QAbstractTableModel):
    """Inputs, kernels and outputs of a stage in the order of its calls."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: StageInspection | None = None
        self._shown: dict[str, KernelMeasurement | None] = {}
        self._colours = LIGHT

    def show(self, known: StageInspection | None) -> None:
        """List the nodes of a stage."""
        self.beginResetModel()
        self._known = known
        self._shown = dict(known.measurements) if known is not None else {}
        self.endResetModel()

    def refresh(self) -> None:
        """Show those measurements that have changed."""
        nodes = self._known.graph.nodes if self._known is not None else ()
        for row, node in enumerate(nodes):
            measurement = self._known.measurements.get(node.id) if self._known is not None else None
            if self._shown.get(node.id) is not measurement:
                self._shown[node.id] = measurement
                self.dataChanged.emit(self.index(row, ERROR), self.index(row, TIME))

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self._colours = colours
        if self.rowCount():
            self.dataChanged.emit(self.index(0, ERROR), self.index(self.rowCount() - 1, ERROR))

    def node_at(self, row: int) -> GraphNode:
        """The node of a row."""
        assert self._known is not None
        return self._known.graph.nodes[row]

    def row_of(self, node: str | None) -> int | None:
        """The row of a node; None if it has none."""
        nodes = self._known.graph.nodes if self._known is not None else ()
        return next((row for row, each in enumerate(nodes) if each.id == node), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """One row a node."""
        return 0 if parent.isValid() or self._known is None else len(self._known.graph.nodes)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Title, module, error, time."""
        return 0 if parent.isValid() else len(HEADINGS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        """The names of the columns."""
        horizontal = orientation is Qt.Orientation.Horizontal
        return HEADINGS[section] if horizontal and role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What a cell shows, and by which it is found and sorted."""
        assert self._known is not None
        node = self.node_at(index.row())
        measurement = self._known.measurements.get(node.id)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._words(node, index.column())
            case Qt.ItemDataRole.ToolTipRole:
                return f"{node.label}, {node.module_path or KINDS[node.kind]}: {state_words(node, measurement)}"
            case Qt.ItemDataRole.AccessibleTextRole if index.column() == ERROR and measurement is not None:
                return f"{TITLES[measurement.verdict]}, {error_words(measurement)}"
            case Qt.ItemDataRole.ForegroundRole if index.column() == ERROR and measurement is not None:
                return QColor(verdict_colour(measurement.verdict, self._colours))
            case Qt.ItemDataRole.TextAlignmentRole if index.column() == TIME:
                return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            case _ if role == SEARCHED_ROLE:
                return " ".join((node.label, node.kernel, node.module_path, *node.operators, node.id))
            case _ if role == ORDER_ROLE:
                return severity(measurement)
        return None

    def _words(self, node: GraphNode, column: int) -> str:
        assert self._known is not None
        measurement = self._known.measurements.get(node.id)
        match column:
            case 0:
                return node.label
            case 1:
                return "" if node.kind is not NodeKind.KERNEL else short_words(measurement)
            case 2:
                return time_words(measurement.seconds) if measurement is not None else NOTHING
        return node.module_path


class _Sorted(QSortFilterProxyModel):
    """The rows that contain what is searched for, the worst first if wanted."""

    def lessThan(self, left: Index, right: Index) -> bool:
        """By severity; of equals, the one called later is less, as the worst come first."""
        one, other = (index.data(ORDER_ROLE) for index in (left, right))
        return bool((tuple(one), -left.row()) < (tuple(other), -right.row()))


class KernelList(QTreeView):
    """`node_chosen` carries the id of a node."""

    node_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kernels = KernelModel(self)
        self._sorted = _Sorted(self)
        self._sorted.setSourceModel(self.kernels)
        self._sorted.setFilterRole(SEARCHED_ROLE)
        self._sorted.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._sorted.setDynamicSortFilter(True)
        self.setModel(self._sorted)
        self.setObjectName("kernels")
        self.setAccessibleName("Kernels of the stage")
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setItemDelegateForColumn(ERROR, PlainSelection(self))
        self.header().setMinimumSectionSize(LEAST_PIXELS)
        for column, width in WIDTHS_PIXELS.items():
            self.header().resizeSection(column, width)
        self.selectionModel().selectionChanged.connect(self._on_selection)

    @property
    def shown_nodes(self) -> tuple[str, ...]:
        """The ids of the nodes that are listed, from the top."""
        rows = range(self._sorted.rowCount())
        return tuple(self._node(self._sorted.index(row, TITLE)) for row in rows)

    def show_stage(self, known: StageInspection | None) -> None:
        """List the nodes of a stage, none chosen."""
        blocked = self.selectionModel().blockSignals(True)
        self.kernels.show(known)
        self.selectionModel().blockSignals(blocked)

    def choose(self, node: str | None) -> None:
        """Select a node's row if it is listed; emits nothing."""
        row = self.kernels.row_of(node)
        index = QModelIndex() if row is None else self._sorted.mapFromSource(self.kernels.index(row, TITLE))
        if index.isValid() and index.row() == self.currentIndex().row() and self.selectionModel().hasSelection():
            return
        blocked = self.blockSignals(True)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
        else:
            self.clearSelection()
        self.blockSignals(blocked)

    @Slot(str)
    def search(self, words: str) -> None:
        """List the nodes whose label, kernel, module or operators contain this."""
        self._sorted.setFilterFixedString(words.strip())

    @Slot(bool)
    def put_worst_first(self, wanted: bool) -> None:
        """Sort by error, or list in the order of the calls."""
        if wanted:
            self._sorted.sort(ERROR, Qt.SortOrder.DescendingOrder)
        else:
            self._sorted.sort(-1, Qt.SortOrder.AscendingOrder)

    def _node(self, index: QModelIndex) -> str:
        return self.kernels.node_at(self._sorted.mapToSource(index).row()).id

    @Slot(QItemSelection, QItemSelection)
    def _on_selection(self, chosen: QItemSelection, left: QItemSelection) -> None:
        indexes = chosen.indexes()
        if indexes:
            self.node_chosen.emit(self._node(indexes[0]))
