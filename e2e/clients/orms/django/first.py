"""The models of the library as they begin: the program makes the first migration of them."""
import uuid

from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=80)
    born = models.DateField(null=True, blank=True)
    user = models.OneToOneField(User, models.SET_NULL, null=True, related_name="author")


class Tag(models.Model):
    name = models.SlugField(unique=True)


class Book(models.Model):
    title = models.CharField(max_length=100, db_index=True)
    isbn = models.CharField(max_length=13, unique=True)
    author = models.ForeignKey(Author, models.CASCADE, related_name="books")
    tags = models.ManyToManyField(Tag, related_name="books")
    price = models.DecimalField(max_digits=8, decimal_places=2, default=0)
    published = models.DateTimeField(null=True)
    pages = models.PositiveIntegerField(null=True)
    extra = models.JSONField(default=dict)
    words = ArrayField(models.CharField(max_length=30), default=list)
    key = models.UUIDField(default=uuid.uuid4, editable=False)
    kept = models.BooleanField(default=True)

    class Meta:
        ordering = ["title"]


class Loan(models.Model):
    id = models.BigAutoField(primary_key=True)
    book = models.ForeignKey(Book, models.PROTECT)
    reader = models.CharField(max_length=50)
    day = models.DateField()
    lasts = models.DurationField(null=True)
