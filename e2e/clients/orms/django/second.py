"""The models of the library after some time: the program makes the second migration of the difference."""
import uuid

from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import HashIndex
from django.db import models
from django.db.models.functions import Lower, Upper


class Author(models.Model):
    full_name = models.CharField(max_length=80)
    born = models.DateField(null=True, blank=True, db_comment="may be a guess")
    user = models.OneToOneField(User, models.SET_NULL, null=True, related_name="author")
    mentor = models.ForeignKey("self", models.SET_NULL, null=True)

    class Meta:
        db_table_comment = "who writes"
        constraints = [models.UniqueConstraint(Lower("full_name"), name="author_lower_name")]


class Tag(models.Model):
    id = models.BigAutoField(primary_key=True)
    name = models.SlugField(max_length=70, unique=True)


class Book(models.Model):
    title = models.TextField()
    isbn = models.CharField(max_length=20, unique=True)
    author = models.ForeignKey(Author, models.CASCADE, related_name="books")
    tags = models.ManyToManyField(Tag, related_name="books")
    price = models.DecimalField(max_digits=10, decimal_places=3, default=0)
    with_tax = models.GeneratedField(expression=models.F("price") * 2, output_field=models.DecimalField(max_digits=12, decimal_places=3), db_persist=True)
    published = models.DateField(null=True)
    pages = models.PositiveBigIntegerField(default=1)
    extra = models.JSONField(default=dict, null=True)
    words = ArrayField(models.CharField(max_length=30), default=list, db_index=True)
    key = models.UUIDField(default=uuid.uuid4, editable=False, unique=True)
    kept = models.BooleanField(default=True, db_default=True)

    class Meta:
        ordering = ["title"]
        indexes = [
            models.Index(fields=["author", "-published"], name="book_author_published"),
            models.Index(fields=["price"], name="book_kept", condition=models.Q(kept=True)),
            models.Index(Upper("title"), name="book_upper_title"),
            models.Index(fields=["isbn"], include=["pages"], name="book_isbn_pages"),
            HashIndex(fields=["pages"], name="book_pages_hash"),
        ]
        constraints = [
            models.CheckConstraint(condition=models.Q(price__gte=0), name="price_not_negative"),
            models.UniqueConstraint(fields=["title", "author"], name="one_title_an_author"),
            models.UniqueConstraint(fields=["title"], condition=models.Q(kept=False), name="one_title_gone"),
        ]


class Tagging(models.Model):
    book = models.ForeignKey(Book, models.CASCADE)
    tag = models.ForeignKey(Tag, models.CASCADE)
    weight = models.SmallIntegerField(default=1)

    class Meta:
        unique_together = [("book", "tag")]


class Loan(models.Model):
    id = models.BigAutoField(primary_key=True)
    book = models.ForeignKey(Book, models.PROTECT)
    reader = models.CharField(max_length=50)
    since = models.DateField()
    lasts = models.DurationField(null=True)

    class Meta:
        db_table = "loans"
        unique_together = [("book", "since")]
