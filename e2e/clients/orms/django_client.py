"""Django: a project with the stock apps and one of its own, whose migrations it makes, runs, takes back, and whose models it uses."""
import datetime as dt
import decimal
import io
import os
import re
import shutil
import sys
import tempfile
import unittest.mock as mock
import uuid
import warnings

import django
from django.conf import settings
from django.core.management import call_command

from shared import DATABASE, HOST, PORT, USER, part, rows, said, show, title

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "django")
STOCK = ["admin", "auth", "contenttypes", "sessions", "messages", "postgres"]


def new_project():
    """Makes the app library in a folder of its own."""
    folder = os.path.join(tempfile.mkdtemp(), "project")
    os.makedirs(os.path.join(folder, "library", "migrations"))
    for name in ("__init__.py", "migrations/__init__.py"):
        open(os.path.join(folder, "library", name), "w").close()
    return folder


def configure(folder):
    sys.path.insert(0, folder)
    settings.configure(
        SECRET_KEY="x", USE_TZ=True, TIME_ZONE="UTC", DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        INSTALLED_APPS=[f"django.contrib.{a}" for a in STOCK] + ["library"],
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "OPTIONS": {"context_processors": [
            f"django.{p}" for p in ("template.context_processors.request", "contrib.auth.context_processors.auth", "contrib.messages.context_processors.messages")]}}],
        MIDDLEWARE=[f"django.contrib.{m}" for m in ("sessions.middleware.SessionMiddleware", "auth.middleware.AuthenticationMiddleware", "messages.middleware.MessageMiddleware")],
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": DATABASE, "HOST": HOST, "PORT": PORT, "USER": USER}},
    )
    django.setup()


def change(folder, models):
    shutil.copy(os.path.join(HERE, models), os.path.join(folder, "library", "models.py"))


def command(*args, **options):
    """Runs a command of manage.py and prints what it says."""
    out = io.StringIO()
    try:
        call_command(*args, stdout=out, stderr=out, no_color=True, **options)
    except (Exception, SystemExit) as e:
        out.write("FAILED: " + said(e) + "\n")
    for line in out.getvalue().splitlines():
        print("  ", re.sub(r".*/project/", "", line))


def first(_):
    title("the first migration")
    command("makemigrations", "library", name="first")
    command("sqlmigrate", "library", "0001")
    command("migrate")
    command("migrate")
    command("showmigrations")
    command("makemigrations", check_changes=True, dry_run=True)


def fill(_):
    title("rows under the first models")
    from library.models import Author, Book, Loan, Tag
    ann = Author.objects.create(name="Ann")
    tags = Tag.objects.bulk_create([Tag(name=f"tag-{n}") for n in range(3)])
    for n in range(4):
        b = Book.objects.create(title=f"Title {n}", isbn=f"978{n}", author=ann, price=decimal.Decimal(n) + decimal.Decimal("0.5"), pages=100 * n,
                                published=dt.datetime(2026, 3, 1 + n, 12, tzinfo=dt.timezone.utc), extra={"n": n}, words=[f"w{n}", "x"], key=uuid.UUID(int=n))
        b.tags.set(tags[:n])
    Loan.objects.create(book=b, reader="bob", day=dt.date(2026, 4, 1), lasts=dt.timedelta(days=14))
    rows(Book.objects.values_list("title", "price", "author__name", "tags__name").order_by("id", "tags__name"))


def second(_):
    title("the second migration")
    with mock.patch("builtins.input", lambda prompt="": "y"):  # yes, it was renamed
        command("makemigrations", "library", name="second")
    command("sqlmigrate", "library", "0002")
    command("migrate")
    command("makemigrations", check_changes=True, dry_run=True)
    command("inspectdb")


def back(_):
    title("back and forth")
    command("migrate", "library", "0001")
    command("migrate", "library")


def relations(_):
    title("relations")
    from django.db.models import Prefetch
    from library.models import Author, Book, Loan, Tag, Tagging
    ann = Author.objects.get(full_name="Ann")
    bob = Author.objects.create(full_name="Bob", mentor=ann, born=dt.date(1980, 2, 29))
    book, made = Book.objects.get_or_create(isbn="1", defaults={"title": "New", "author": bob, "price": 3})
    print("  ", book.title, made, book.with_tax, book.kept)
    print("  ", Book.objects.update_or_create(isbn="1", defaults={"title": "Newer"})[1], Book.objects.get(isbn="1").title)
    for tag in Tag.objects.order_by("id"):
        Tagging.objects.create(book=book, tag=tag, weight=tag.id)
    rows((b.title, b.author.full_name, [t.name for t in b.tags.all()]) for b in
         Book.objects.select_related("author__mentor").prefetch_related(Prefetch("tags", Tag.objects.order_by("-name"))))
    rows((a.full_name, a.mentor and a.mentor.full_name, [b.title for b in a.books.all()]) for a in Author.objects.prefetch_related("books").order_by("id"))
    rows(Book.objects.filter(tags__name="tag-0", tagging__weight__gte=1).exclude(author__full_name__startswith="A").values_list("title"))
    rows(Author.objects.filter(books__loan__reader="bob").distinct().values_list("full_name"))
    fails(lambda: Book.objects.filter(loan__isnull=False).delete())
    print("  ", Loan.objects.all().delete(), bob.delete())


def fails(run):
    from django.db import transaction
    try:
        with transaction.atomic():
            run()
        print("   did not fail")
    except Exception as e:
        print("  ", said(e))


def questions(_):
    title("questions")
    from django.contrib.postgres.aggregates import ArrayAgg, JSONBAgg, StringAgg
    from django.db.models import Avg, Case, Count, Exists, F, Max, Min, OuterRef, Q, Subquery, Sum, TextField, Value, When, Window
    from django.db.models.fields.json import KT
    from django.db.models.functions import Coalesce, Concat, ExtractYear, Length, Rank, RowNumber, TruncMonth
    from django.core.paginator import Paginator
    from library.models import Author, Book
    Book.objects.filter(title="Title 3").update(extra={"n": 3, "deep": {"list": [1, {"a": "b"}], "none": None}}, published=None)
    print("  ", Book.objects.aggregate(Avg("price"), Max("pages"), Min("published"), n=Count("*"), s=Sum("price", filter=Q(pages__gt=100))))
    rows(Author.objects.annotate(n=Count("books"), total=Sum("books__price")).filter(n__gt=0).values_list("full_name", "n", "total"))
    rows(Book.objects.annotate(r=Window(Rank(), partition_by="author", order_by=F("price").desc()), row=Window(RowNumber(), order_by="id")).values_list("title", "r", "row"))
    rows(Book.objects.annotate(m=TruncMonth("published")).values("m").annotate(n=Count("id")).order_by("m").values_list("m", "n"))
    rows(Book.objects.annotate(k=Case(When(price__lt=1, then=Value("low")), default=Value("high")), l=Length("title"), y=ExtractYear("published"),
                               c=Concat("title", Value("/"), "isbn", output_field=TextField())).values_list("k", "l", "y", "c"))
    rows(Book.objects.filter(extra__n__gte=2).values_list("title", "extra__deep__list__1__a", "extra__deep__none"))
    rows(Book.objects.filter(Q(extra__contains={"n": 1}) | Q(extra__has_key="deep") | Q(extra__deep__list__0=5)).values_list("title", KT("extra__n")))
    rows(Book.objects.filter(extra__deep__none=None).values_list("title"))
    rows(Book.objects.filter(words__contains=["x"], words__overlap=["w1", "w2"], words__len=2, words__0__in=["w1", "w2"]).values_list("title", "words"))
    rows(Book.objects.filter(title__iregex="^t.*[12]$", isbn__icontains="978", title__iexact="TITLE 1").values_list("title"))
    rows(Book.objects.filter(published__year=2026, published__month=3, published__week_day__in=[1, 2, 3], published__range=("2026-03-01", "2026-03-31")).values_list("title"))
    rows(Author.objects.aggregate(a=ArrayAgg("books__title", order_by="-books__title"), s=StringAgg("books__isbn", ",", order_by="books__isbn"), j=JSONBAgg("full_name")).items())
    newest = Book.objects.filter(author=OuterRef("pk")).order_by("-published")
    rows(Author.objects.annotate(t=Subquery(newest.values("title")[:1]), has=Exists(newest), c=Coalesce("born", Value(dt.date(1900, 1, 1)))).values_list("full_name", "t", "has", "c"))
    rows(Book.objects.values_list("title").union(Author.objects.values_list("full_name")).order_by("title"))
    rows(Book.objects.filter(Q(price__in=[0.5, 1.5]) & ~Q(title="x")).order_by(F("published").desc(nulls_last=True), "-price").values_list("title")[1:3])
    rows(Book.objects.distinct("author").order_by("author", "-price").values_list("title"))
    pages = Paginator(Book.objects.order_by("id"), 3)
    print("  ", pages.count, pages.num_pages, [b.title for b in pages.page(2)], Book.objects.filter(title="x").exists(), Book.objects.in_bulk([1, 2]).keys())
    rows((b.title,) for b in Book.objects.order_by("id").iterator(chunk_size=2))
    rows((b.title, b.big) for b in Book.objects.raw("SELECT id, title, upper(title) AS big FROM library_book WHERE id = %s", [1]))


def writing(_):
    title("writing")
    from django.db import IntegrityError, connection, transaction
    from django.db.models import F
    from django.db.models.functions import Upper
    from library.models import Author, Book, Loan, Tag
    ann = Author.objects.get(full_name="Ann")
    made = Book.objects.bulk_create([Book(title=f"Bulk {n}", isbn=f"b{n}", author=ann, price=n) for n in range(10)], batch_size=4)
    print("  ", [b.pk is not None for b in made][:2], made[3].with_tax)
    Book.objects.bulk_create([Book(title=f"Bulk {n}", isbn=f"b{n}", author=ann) for n in range(12)], ignore_conflicts=True)
    Tag.objects.bulk_create([Tag(name="tag-0"), Tag(name="tag-9")], update_conflicts=True, update_fields=["name"], unique_fields=["name"])
    for b in made:
        b.pages = b.price * 2
    print("  ", Book.objects.bulk_update(made, ["pages"]), Book.objects.filter(title__startswith="Bulk").update(price=F("price") + 1, title=Upper("title")))
    rows(Book.objects.filter(title__startswith="BULK").order_by("id").values_list("title", "price", "with_tax", "pages"))
    with transaction.atomic():
        try:
            with transaction.atomic():
                Tag.objects.create(name="tag-0")
        except IntegrityError as e:
            print("  ", said(e))
        print("  ", Tag.objects.select_for_update(skip_locked=True).filter(name="tag-0").count(), Book.objects.select_for_update(of=("self",)).select_related("author").first().title)
        saved = transaction.savepoint()
        Tag.objects.all().filter(name="tag-9").delete()
        transaction.savepoint_rollback(saved)
        transaction.on_commit(lambda: print("   committed"))
    print("  ", Tag.objects.filter(name="tag-9").count())
    fails(lambda: Book.objects.create(title="x", isbn="neg", author=ann, price=-1, key=uuid.UUID(int=99)))
    fails(lambda: Book.objects.create(title="Title 1", isbn="other", author=ann))
    fails(lambda: Book.objects.create(title="y", isbn="noauthor", author_id=999999))
    fails(lambda: Author.objects.create(full_name="ANN"))
    fails(lambda: Loan(book_id=999999, reader="x", since=dt.date(2026, 1, 1)).save())
    with connection.cursor() as c:
        connection.check_constraints()
        c.execute("SELECT count(*) FROM library_book WHERE title LIKE %s", ["BULK%"])
        print("  ", c.fetchall(), connection.introspection.table_names(c) and len(connection.introspection.table_names(c)))
        for table in ("library_book", "library_author", "loans"):
            for name, c2 in sorted(connection.introspection.get_constraints(c, table).items()):
                print("  ", table, name, show(c2))
            print("  ", table, connection.introspection.get_sequences(c, table), sorted(connection.introspection.get_relations(c, table).items()))


def stock(_):
    title("the stock apps")
    from django.contrib.admin.models import ADDITION, LogEntry
    from django.contrib.auth import authenticate
    from django.contrib.auth.models import Group, Permission, User
    from django.contrib.contenttypes.models import ContentType
    from django.contrib.sessions.backends.db import SessionStore
    from library.models import Author
    u = User.objects.create_user("ann", "ann@example.org", "secret")
    g = Group.objects.create(name="staff")
    g.permissions.set(Permission.objects.filter(codename__endswith="_book"))
    u.groups.add(g)
    print("  ", authenticate(username="ann", password="secret"), authenticate(username="ann", password="x"), sorted(User.objects.get(pk=u.pk).get_all_permissions()))
    rows(ContentType.objects.order_by("app_label", "model").values_list("app_label", "model"))
    LogEntry.objects.log_actions(u.pk, [Author.objects.get(full_name="Ann")], ADDITION, single_object=True)
    print("  ", [(str(e.content_type), e.object_repr, e.is_addition()) for e in LogEntry.objects.select_related("content_type")])
    s = SessionStore()
    s["cart"] = [1, 2]
    s.save()
    print("  ", SessionStore(s.session_key)["cart"], SessionStore().exists("nothing"))
    s.clear_expired()
    command("createcachetable", "cached")
    command("dumpdata", "library.tag", "auth.group", indent=None)
    command("sqlsequencereset", "library")
    print("  ", u.delete())


def tests(folder):
    title("tests of a project")
    with open(os.path.join(folder, "library", "tests.py"), "w") as f:
        f.write("from django.test import TestCase, TransactionTestCase\nfrom library.models import Tag\n"
                "class One(TestCase):\n  def test(self):\n    Tag.objects.create(name='a'); self.assertEqual(Tag.objects.count(), 1)\n"
                "class Two(TransactionTestCase):\n  reset_sequences = True\n  def test(self):\n    self.assertEqual(Tag.objects.create(name='a').pk, 1)\n"
                "  serialized_rollback = True\n")
    from django.test.runner import DiscoverRunner
    stream = io.StringIO()
    with mock.patch("sys.stderr", stream):
        print("  ", "failures:", DiscoverRunner(verbosity=0, interactive=False).run_tests(["library"]))
    print(*("  " + l for l in stream.getvalue().splitlines() if "Ran" not in l), sep="\n")


def gone(_):
    title("all taken back")
    command("flush", interactive=False)
    for app in ("library", "admin", "auth", "contenttypes", "sessions"):
        command("migrate", app, "zero")
    from django.db import connection
    print("  ", connection.introspection.table_names())


def main():
    """A process has one set of models: that of the second begins anew, in the same folder."""
    warnings.simplefilter("ignore")
    if len(sys.argv) == 1:
        folder, models, steps = new_project(), "first.py", [first, fill]
    else:
        folder, models, steps = sys.argv[1], "second.py", [second, back, relations, questions, writing, stock, tests, gone]
    change(folder, models)
    configure(folder)
    for run in steps:
        part(run, folder)
    if len(sys.argv) == 1:
        sys.stdout.flush()
        shutil.rmtree(os.path.join(folder, "library", "__pycache__"), ignore_errors=True)
        os.execv(sys.executable, [sys.executable, __file__, folder])


main()
