# %% shortest paths
import networkx as nx

g = nx.Graph()
g.add_weighted_edges_from([("a", "b", 4), ("a", "c", 1), ("c", "b", 2), ("b", "d", 5)])
print(nx.shortest_path(g, "a", "d", weight="weight"), nx.dijkstra_path_length(g, "a", "d"))
dict(nx.all_pairs_shortest_path_length(g))["a"]

# %% centrality
import networkx as nx

g = nx.karate_club_graph()
pr = nx.pagerank(g)
print(sorted(pr, key=pr.get, reverse=True)[:4])
{n: round(c, 4) for n, c in nx.betweenness_centrality(g).items() if c > 0.1}

# %% order of tasks
import networkx as nx

g = nx.DiGraph([("shop", "cook"), ("cook", "eat"), ("set table", "eat")])
print(list(nx.lexicographical_topological_sort(g)), nx.is_directed_acyclic_graph(g))
g.add_edge("eat", "shop")
nx.lexicographical_topological_sort(g)
list(nx.simple_cycles(g))[0].__len__()

# %% spanning tree and flow
import networkx as nx

g = nx.Graph()
g.add_weighted_edges_from([(0, 1, 1), (1, 2, 5), (0, 2, 2), (2, 3, 1)])
print(sorted(nx.minimum_spanning_tree(g).edges(data="weight")))
d = nx.DiGraph()
d.add_edge("s", "a", capacity=3)
d.add_edge("a", "t", capacity=2)
nx.maximum_flow_value(d, "s", "t")

# %% graph drawn
import matplotlib.pyplot as plt
import networkx as nx

g = nx.cycle_graph(6)
nx.draw(g, pos=nx.circular_layout(g), with_labels=True, node_color="orange")
plt.title("Ring of six")
plt.show()

# %% no path
import networkx as nx

nx.shortest_path(nx.Graph([(1, 2), (3, 4)]), 1, 4)

# %% components and communities
import networkx as nx

g = nx.barbell_graph(4, 0)
print(nx.number_connected_components(g), nx.bridges(g).__next__(), nx.diameter(g))
[sorted(c) for c in nx.community.greedy_modularity_communities(g)]

# %% image made
from PIL import Image, ImageDraw

im = Image.new("RGB", (320, 240), "navy")
draw = ImageDraw.Draw(im)
draw.ellipse((60, 40, 260, 200), fill="gold")
draw.text((120, 110), "hello", fill="black")
im.save("sun.png")
im

# %% image resized and measured
import numpy as np
from PIL import Image

a = np.zeros((64, 64, 3), dtype=np.uint8)
a[:32, :, 0] = 255
a[:, 32:, 2] = 128
im = Image.fromarray(a).resize((256, 256), Image.NEAREST).convert("L")
print(im.size, im.mode, im.getextrema(), im.histogram()[:2])
im.save("grey.bmp")

# %% image filters
from PIL import Image, ImageFilter, ImageOps

im = Image.linear_gradient("L").rotate(90)
out = ImageOps.invert(im.filter(ImageFilter.GaussianBlur(2)))
print(out.getpixel((10, 10)), out.getpixel((250, 10)))
out.crop((0, 0, 200, 150))

# %% jpeg and exif free formats
import io

from PIL import Image

im = Image.new("RGB", (40, 30), (10, 200, 30))
for fmt in ("JPEG", "PNG", "GIF", "WEBP"):
    buf = io.BytesIO()
    im.save(buf, fmt)
    buf.seek(0)
    print(fmt, Image.open(buf).size, Image.open(buf).format)

# %% broken image
from PIL import Image

with open("x.png", "wb") as f:
    f.write(b"not an image")
Image.open("x.png")

# %% image shown with matplotlib
import matplotlib.pyplot as plt
import numpy as np

a = np.add.outer(np.arange(40), np.arange(60)) / 100
plt.imshow(a, cmap="magma")
plt.axis("off")
plt.title("Gradient")
plt.show()

# %% edges by scipy
import numpy as np
from scipy import ndimage

a = np.zeros((9, 9))
a[3:6, 3:6] = 1
labels, n = ndimage.label(a)
print(n, ndimage.center_of_mass(a), np.abs(ndimage.sobel(a)).max())
ndimage.binary_dilation(a)[2].astype(int)

# %% image show
from PIL import Image

Image.new("RGBA", (300, 200), (255, 0, 0, 128)).show()
print("shown")
