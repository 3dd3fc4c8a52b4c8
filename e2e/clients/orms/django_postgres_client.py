"""Django: an app that uses what django.contrib.postgres has: text search, trigrams, arrays, hstores, ranges and documents."""
import datetime as dt
import decimal
import io
import os
import re
import shutil
import sys
import tempfile
import warnings

import django
from django.conf import settings
from django.core.management import call_command

from shared import DATABASE, HOST, PORT, USER, part, rows, said, show, title

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "django")

EXTENSIONS = """from django.contrib.postgres.operations import HStoreExtension, TrigramExtension
from django.db import migrations

class Migration(migrations.Migration):
    operations = [HStoreExtension(), TrigramExtension()]
"""


def configure():
    folder = os.path.join(tempfile.mkdtemp(), "project")
    os.makedirs(os.path.join(folder, "pages", "migrations"))
    for name in ("__init__.py", "migrations/__init__.py"):
        open(os.path.join(folder, "pages", name), "w").close()
    with open(os.path.join(folder, "pages", "migrations", "0001_extensions.py"), "w") as f:
        f.write(EXTENSIONS)
    shutil.copy(os.path.join(HERE, "pages.py"), os.path.join(folder, "pages", "models.py"))
    sys.path.insert(0, folder)
    settings.configure(
        SECRET_KEY="x", USE_TZ=True, TIME_ZONE="UTC", DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=["django.contrib.postgres", "pages"],
        DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": DATABASE, "HOST": HOST, "PORT": PORT, "USER": USER}},
    )
    django.setup()


def command(*args, **options):
    """Runs a command of manage.py and prints what it says."""
    out = io.StringIO()
    try:
        call_command(*args, stdout=out, stderr=out, no_color=True, **options)
    except (Exception, SystemExit) as e:
        out.write("FAILED: " + said(e) + "\n")
    for line in out.getvalue().splitlines():
        print("  ", re.sub(r".*/project/", "", line))


def ask(model, found):
    """Prints the keys of the rows that a filter finds."""
    try:
        print("  ", found, list(model.objects.filter(**found).order_by("id").values_list("id", flat=True)))
    except Exception as e:
        print("  ", found, said(e))


def migrate(_):
    title("migrations")
    command("makemigrations", "pages", name="first")
    command("sqlmigrate", "pages", "0002")
    command("migrate")
    command("makemigrations", check_changes=True, dry_run=True)
    command("inspectdb", "pages_page", "pages_stay")
    from django.db import connection
    with connection.cursor() as c:
        for table in ("pages_page", "pages_stay", "pages_line"):
            for name, of in sorted(connection.introspection.get_constraints(c, table).items()):
                print("  ", table, re.sub("_[0-9a-f]{8}", "_HASH", name), show(of))


def fill(_):
    title("rows")
    from django.contrib.postgres.search import SearchVector
    from django.db.backends.postgresql.psycopg_any import DateRange, DateTimeTZRange, NumericRange
    from pages.models import Line, Page, Stay
    for n, body in enumerate(["The quick brown fox jumps over the lazy dog", "Foxes are quick; dogs sleep", "Nothing of that kind", "Un élève très à l'aise, 100% \\ sûr"]):
        p = Page.objects.create(title=f"Page number {n}", body=body, words=body.lower().split(), grid=[[n, None], [1, 2]] if n else None, extra={"n": n, "tags": [f"t{n}", "all"], "deep": {"a": [n, {"b": None}]}},
                                labels={"n": str(n), "none": None, 'a "b"': "c=>d"})
        Line.objects.bulk_create([Line(page=p, number=i, text=w) for i, w in enumerate(p.words)])
    print("  ", Page.objects.update(found=SearchVector("title", weight="A", config="english") + SearchVector("body", weight="B", config="english")))
    day, utc = dt.date(2026, 3, 1), dt.timezone.utc
    Stay.objects.bulk_create([
        Stay(room=1, days=DateRange(day, dt.date(2026, 3, 5)), hours=DateTimeTZRange(dt.datetime(2026, 3, 1, 14, tzinfo=utc), None, "(]"), floors=NumericRange(1, 4), big=NumericRange(2**40, None), price=NumericRange(decimal.Decimal("1.50"), decimal.Decimal("2.50"), "[]")),
        Stay(room=2, days=(dt.date(2026, 3, 4), dt.date(2026, 3, 6)), floors=(None, 3)), Stay(room=1, days=DateRange(dt.date(2026, 3, 5), None), price=NumericRange(empty=True)),
    ])
    rows(Page.objects.order_by("id").values_list("title", "words", "grid", "extra", "labels", "found", "made"))
    rows(Stay.objects.order_by("id").values_list("room", "days", "hours", "floors", "big", "price"))


def texts(_):
    title("text search")
    from django.contrib.postgres.search import SearchHeadline, SearchQuery, SearchRank, SearchVector, TrigramDistance, TrigramSimilarity, TrigramStrictWordSimilarity, TrigramWordDistance, TrigramWordSimilarity
    from django.db.models import F, Value
    from django.db.models.functions import Round
    from pages.models import Line, Page
    q = SearchQuery("quick & fox:*", search_type="raw", config="english")
    rows(Page.objects.filter(found=q).annotate(r=Round(SearchRank("found", q), 6)).order_by("-r", "id").values_list("id", "r"))
    rows(Page.objects.annotate(r=Round(SearchRank(F("found"), SearchQuery("fox"), weights=[0.1, 0.2, 0.4, 0.8], normalization=Value(2), cover_density=True), 6)).order_by("-r", "id").values_list("id", "r"))
    rows(Page.objects.annotate(v=SearchVector("body", config="english")).filter(v=SearchQuery("dog", config="english")).order_by("id").values_list("id", "v"))
    rows(Page.objects.filter(body__search="quick").order_by("id").values_list("id"))
    rows(Page.objects.filter(made=SearchQuery("number", config="simple") & SearchQuery("2", config="simple")).values_list("id"))
    rows(Page.objects.annotate(v=SearchVector("title", "body", "lines__text")).filter(v=SearchQuery("kind")).distinct().order_by("id").values_list("id"))
    rows(Page.objects.annotate(h=SearchHeadline("body", SearchQuery("fox", config="english"), config="english", start_sel="<", stop_sel=">", min_words=2, max_words=5, max_fragments=2)).order_by("id").values_list("h"))
    for kind in ("plain", "phrase", "websearch"):
        rows(Page.objects.filter(found=SearchQuery('quick brown', search_type=kind, config="english") | ~SearchQuery("dog", config="english")).order_by("id").values_list("id"))
    rows(Page.objects.filter(body__trigram_similar="quick brown foxes jump").values_list("id"))
    rows(Page.objects.filter(body__trigram_word_similar="foxe").order_by("id").values_list("id"))
    rows(Page.objects.filter(title__trigram_strict_word_similar="numbers").order_by("id").values_list("id"))
    rows(Page.objects.annotate(s=TrigramSimilarity("body", "foxes"), d=TrigramDistance("body", "foxes"), w=TrigramWordSimilarity("foxes", "body"), x=TrigramWordDistance("foxes", "body"), t=TrigramStrictWordSimilarity("foxes", "body"))
         .order_by("id").values_list("s", "d", "w", "x", "t"))
    rows(Page.objects.filter(body__icontains="QUICK", title__startswith="Page", body__iregex="fox(es)?").order_by("id").values_list("id"))
    rows(Page.objects.filter(body__contains="100% \\").values_list("id"))


def arrays(_):
    title("arrays, hstores and documents")
    from django.contrib.postgres.aggregates import ArrayAgg, BoolOr, StringAgg
    from django.contrib.postgres.expressions import ArraySubquery
    from django.db.models import Count, F, Func, OuterRef, Q
    from pages.models import Line, Page
    for found in (
        dict(words__contains=["quick"]), dict(words__contained_by=["nothing", "of", "that", "kind", "x"]), dict(words__overlap=["foxes", "fox"]), dict(words__len=9), dict(words__0="foxes"), dict(words__0_2=["the", "quick"]),
        dict(words=["nothing", "of", "that", "kind"]), dict(words__0__startswith="fox"), dict(grid__0__0=1), dict(grid__1=[1, 2]), dict(grid__contains=[[2]]), dict(grid__isnull=True), dict(words__icontains="sleep"),
        dict(labels__contains={"n": "1"}), dict(labels__n="2"), dict(labels__has_key="none"), dict(labels__has_keys=["n", "x"]), dict(labels__has_any_keys=["n", "x"]), dict(labels__keys__contains=["n"]), dict(labels__values__overlap=["3", "1"]),
        dict(labels__contained_by={"n": "1", "none": None, 'a "b"': "c=>d"}), dict(labels__n__gt="1"), dict(labels__none__isnull=True),
        dict(extra__contains={"tags": ["all"]}), dict(extra__contained_by={"n": 1}), dict(extra__has_key="n"), dict(extra__has_keys=["n", "x"]), dict(extra__has_any_keys=["n", "x"]), dict(extra__n__lt=2), dict(extra__tags__0="t1"), dict(extra__deep__a__1__b=None),
        dict(extra__deep__a__1__b__isnull=False), dict(extra__n__in=[1, 3]), dict(extra__tags__0__iendswith="T2"), dict(extra__deep__a__0__range=(1, 2)), dict(extra={"n": 1}), dict(extra__tags__contains="t3"),
    ):
        ask(Page, found)
    rows(Page.objects.exclude(extra__n=1).exclude(labels__n="2").order_by("id").values_list("extra__tags__0", "labels__n", "words__0"))
    rows(Page.objects.annotate(lines_=ArraySubquery(Line.objects.filter(page=OuterRef("pk")).order_by("-number").values("text")[:2])).order_by("id").values_list("lines_"))
    rows(Page.objects.annotate(a=ArrayAgg("lines__text", filter=Q(lines__number__lt=3), order_by="-lines__number", default=[]), s=StringAgg("lines__text", "-", order_by="lines__text"), b=BoolOr(Q(lines__number=8))).order_by("id").values_list("a", "s", "b"))
    rows(Page.objects.annotate(w=Func(F("words"), function="unnest")).values("w").annotate(n=Count("id")).filter(n__gt=1).order_by("w").values_list("w", "n"))
    page = Page.objects.order_by("id").first()
    page.words, page.labels, page.extra = page.words + ["new"], {**page.labels, "new": ""}, {**page.extra, "x": [None]}
    page.save()
    page.refresh_from_db()
    print("  ", page.words, show(page.labels), show(page.extra), page.made)
    print("  ", Page.objects.filter(pk=page.pk).update(words=[], grid=[[None]], labels={}))


def ranges(_):
    title("ranges")
    from django.db import transaction
    from django.db.backends.postgresql.psycopg_any import DateRange, NumericRange
    from django.db.models import F
    from pages.models import Stay
    utc = dt.timezone.utc
    for found in (
        dict(days__contains=dt.date(2026, 3, 4)), dict(days__contains=DateRange(dt.date(2026, 3, 2), dt.date(2026, 3, 3))), dict(days__overlap=DateRange(dt.date(2026, 3, 5), dt.date(2026, 3, 9))), dict(days__contained_by=DateRange(None, dt.date(2026, 3, 6))),
        dict(days__fully_lt=DateRange(dt.date(2026, 3, 6), None)), dict(days__fully_gt=(None, dt.date(2026, 3, 2))), dict(days__not_lt=(dt.date(2026, 3, 3), None)), dict(days__not_gt=(None, dt.date(2026, 3, 6))), dict(days__adjacent_to=(dt.date(2026, 3, 5), dt.date(2026, 3, 7))),
        dict(days__startswith=dt.date(2026, 3, 4)), dict(days__endswith__lt=dt.date(2026, 3, 6)), dict(days__upper_inf=True), dict(floors__lower_inf=True), dict(price__isempty=True), dict(price__contains=decimal.Decimal("2.5")), dict(price__upper_inc=True), dict(hours__lower_inc=False),
        dict(hours__contains=dt.datetime(2026, 3, 2, tzinfo=utc)), dict(floors=NumericRange(1, 4)), dict(big__contains=2**41), dict(room__contained_by=NumericRange(1, 2)), dict(days__gt=(dt.date(2026, 3, 1), dt.date(2026, 3, 2))), dict(floors__isnull=True),
    ):
        ask(Stay, found)
    rows(Stay.objects.annotate(s=F("days__startswith"), e=F("days__endswith")).order_by("days").values_list("s", "e"))
    print("  ", Stay.objects.order_by("-days").first().days)
    for bad in (dict(room=1, days=DateRange(empty=True)), dict(room=1, days=("2026-03-05", "2026-03-01")), dict(room=1, days=("2026-03-01", None), floors=(-3, 2))):
        try:
            with transaction.atomic():
                Stay.objects.create(**bad)
            print("   did not fail")
        except Exception as e:
            print("  ", said(e))


def gone(_):
    title("all taken back")
    command("migrate", "pages", "zero")
    from django.db import connection
    print("  ", connection.introspection.table_names())


def main():
    warnings.simplefilter("ignore")
    configure()
    for run in (migrate, fill, texts, arrays, ranges, gone):
        part(run, None)


main()
