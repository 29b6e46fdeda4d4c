# %% linear regression
import numpy as np
from sklearn.linear_model import LinearRegression

X = np.array([[1, 1], [1, 2], [2, 2], [2, 3]])
y = X @ np.array([1, 2]) + 3
reg = LinearRegression().fit(X, y)
print(reg.score(X, y), reg.coef_.round(6), round(float(reg.intercept_), 6))
reg

# %% classification report
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report, confusion_matrix
from sklearn.model_selection import train_test_split

X, y = load_iris(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=42)
model = LogisticRegression(max_iter=500).fit(X_train, y_train)
pred = model.predict(X_test)
print(classification_report(y_test, pred))
confusion_matrix(y_test, pred)

# %% random forest importance
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier

data = load_wine(as_frame=True)
rf = RandomForestClassifier(n_estimators=50, random_state=0).fit(data.data, data.target)
pd.Series(rf.feature_importances_, index=data.feature_names).nlargest(4).round(4)

# %% cross validation
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, y = load_breast_cancer(return_X_y=True)
scores = cross_val_score(make_pipeline(StandardScaler(), SVC()), X, y, cv=5)
print(f"{scores.mean():.3f} ± {scores.std():.3f}")

# %% parallel jobs asked for
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score

X, y = make_classification(n_samples=120, random_state=1)
rf = RandomForestClassifier(n_estimators=10, n_jobs=-1, random_state=1)
print(cross_val_score(rf, X, y, cv=3, n_jobs=2).round(3))

# %% grid search
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

X, y = load_iris(return_X_y=True)
search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 9]}, cv=4).fit(X, y)
print(search.best_params_, round(search.best_score_, 4))

# %% k means
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

X, truth = make_blobs(n_samples=150, centers=3, random_state=7)
km = KMeans(n_clusters=3, n_init=10, random_state=0).fit(X)
print(np.bincount(km.labels_), round(km.inertia_, 2))
km.cluster_centers_.round(2)

# %% silhouette and elbow
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import silhouette_score

X, _ = make_blobs(n_samples=120, centers=4, random_state=3)
{k: round(float(silhouette_score(X, KMeans(k, n_init=5, random_state=0).fit_predict(X))), 3)
 for k in range(2, 6)}

# %% principal components
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

pca = PCA(n_components=5, random_state=0).fit(load_digits().data)
pca.explained_variance_ratio_.round(4)

# %% decision tree as text
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier, export_text

iris = load_iris()
tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.data, iris.target)
print(export_text(tree, feature_names=iris.feature_names))

# %% tree drawn
import matplotlib.pyplot as plt
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier, plot_tree

iris = load_iris()
plt.figure(figsize=(10, 6))
plot_tree(DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.data, iris.target), filled=True)
plt.title("Iris tree")
plt.show()

# %% roc curve
import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score, roc_curve

X, y = make_classification(n_samples=300, random_state=5)
p = LogisticRegression().fit(X[:200], y[:200]).predict_proba(X[200:])[:, 1]
fpr, tpr, _ = roc_curve(y[200:], p)
plt.plot(fpr, tpr, label=f"AUC {roc_auc_score(y[200:], p):.2f}")
plt.plot([0, 1], [0, 1], "k--")
plt.xlabel("false positive rate")
plt.ylabel("true positive rate")
plt.title("ROC")
plt.legend()
plt.show()

# %% confusion matrix display
import matplotlib.pyplot as plt
from sklearn.metrics import ConfusionMatrixDisplay

ConfusionMatrixDisplay.from_predictions([0, 1, 1, 0, 1], [0, 1, 0, 0, 1], display_labels=["no", "yes"])
plt.title("Confusion")
plt.show()

# %% text features
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

docs = ["the cat sat", "the dog sat", "birds fly high"]
print(CountVectorizer().fit(docs).get_feature_names_out().tolist())
cosine_similarity(TfidfVectorizer().fit_transform(docs)).round(3)

# %% column transformer
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

df = pd.DataFrame({"city": list("aabbcc"), "area": [50, 60, 70, 80, 90, 100]})
price = [100, 118, 155, 172, 210, 230]
pre = ColumnTransformer([("c", OneHotEncoder(), ["city"]), ("n", StandardScaler(), ["area"])])
pipe = Pipeline([("pre", pre), ("ridge", Ridge(alpha=0.5))]).fit(df, price)
pipe.predict(df.head(2)).round(2)

# %% gradient boosting
from sklearn.datasets import make_friedman1
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from sklearn.metrics import mean_absolute_error, r2_score

X, y = make_friedman1(n_samples=200, random_state=0)
for cls in (GradientBoostingRegressor, HistGradientBoostingRegressor):
    m = cls(random_state=0).fit(X[:150], y[:150])
    p = m.predict(X[150:])
    print(cls.__name__, round(r2_score(y[150:], p), 3), round(mean_absolute_error(y[150:], p), 3))

# %% polynomial features and lasso
import numpy as np
from sklearn.linear_model import Lasso
from sklearn.preprocessing import PolynomialFeatures

x = np.linspace(-1, 1, 40).reshape(-1, 1)
poly = PolynomialFeatures(3, include_bias=False)
m = Lasso(alpha=0.01).fit(poly.fit_transform(x), 1 + 2 * x.ravel() ** 3)
dict(zip(poly.get_feature_names_out(["x"]).tolist(), m.coef_.round(3).tolist()))

# %% scaling and imputing
import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MinMaxScaler

X = np.array([[1, np.nan], [2, 4.0], [np.nan, 8]])
MinMaxScaler().fit_transform(SimpleImputer(strategy="mean").fit_transform(X))

# %% neural network
from sklearn.datasets import make_moons
from sklearn.neural_network import MLPClassifier

X, y = make_moons(200, noise=0.2, random_state=0)
clf = MLPClassifier((16,), max_iter=1500, random_state=0).fit(X, y)
print(clf.score(X, y) > 0.9, clf.n_layers_)

# %% isolation forest and dbscan
import numpy as np
from sklearn.cluster import DBSCAN
from sklearn.ensemble import IsolationForest

rng = np.random.RandomState(0)
X = np.r_[rng.normal(size=(60, 2)), [[8, 8], [-9, 7]]]
print(np.where(IsolationForest(random_state=0).fit_predict(X) == -1)[0][-2:])
print(np.unique(DBSCAN(eps=1.0).fit_predict(X)).tolist())

# %% model saved and loaded
import joblib
from sklearn.linear_model import LinearRegression

m = LinearRegression().fit([[0], [1], [2]], [1, 3, 5])
joblib.dump(m, "model.joblib")
print(joblib.load("model.joblib").predict([[10]]).round(6))

# %% not fitted
from sklearn.linear_model import LinearRegression

LinearRegression().predict([[1]])
