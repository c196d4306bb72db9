from depnet.pictures.graph.community import communities as communities
from depnet.pictures.graph.community import strongest_members as strongest_members
from depnet.pictures.graph.dependency import Arrow as Arrow
from depnet.pictures.graph.dependency import DependencyGraph as DependencyGraph
from depnet.pictures.graph.dependency import Tie as Tie
from depnet.pictures.graph.dependency import dependency_graph as dependency_graph
from depnet.pictures.graph.exports import links_csv as links_csv
from depnet.pictures.graph.exports import to_dot as to_dot
from depnet.pictures.graph.exports import to_graphml as to_graphml
from depnet.pictures.graph.layout import layout as layout
from depnet.pictures.graph.layout import spread as spread
from depnet.pictures.graph.svg import to_svg as to_svg
from depnet.pictures.node.boosted import Boosted as Boosted
from depnet.pictures.node.boosted import Input as Input
from depnet.pictures.node.boosted import boosted as boosted
from depnet.pictures.node.decision import Decision as Decision
from depnet.pictures.node.decision import decision as decision
from depnet.pictures.node.svg import boosted_svg as boosted_svg
from depnet.pictures.node.svg import decision_svg as decision_svg
from depnet.pictures.node.svg import node_svg as node_svg
from depnet.pictures.node.text import boosted_text as boosted_text
from depnet.pictures.node.text import decision_text as decision_text
from depnet.pictures.node.text import node_text as node_text
from depnet.pictures.raster import plot_svg as plot_svg
from depnet.pictures.raster import to_image as to_image
from depnet.pictures.report.page import html_report as html_report

__all__: list[str]
