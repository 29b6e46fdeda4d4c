"""The matplotlib backend of every job: Agg, whose show() hands figures over as charts.

Loaded as module://_brig.backend, so only once matplotlib is there.
"""

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

from . import charts, sizes


class FigureManager(FigureManagerBase):
    """A window that is a chart: showing it closes it, as closing a window would."""

    @classmethod
    def pyplot_show(cls, *, block=None):
        """plt.show(): every open figure, in order; those of earlier calls where there is no other."""
        managers = Gcf.get_all_fig_managers()
        awake = [manager for manager in managers if not charts.rests(manager)]
        for manager in awake or managers:
            manager.show()

    def show(self):
        """fig.show(): this figure."""
        figure = self.canvas.figure
        charts.show(figure)
        Gcf.destroy(self)
        charts.last_shown = figure


class FigureCanvas(FigureCanvasAgg):
    """Agg, with a guard against bitmaps of gigabytes."""

    manager_class = FigureManager

    def get_renderer(self):
        """Agg's renderer, of a figure whose size has been made sane."""
        sizes.tame(self.figure)
        return super().get_renderer()
