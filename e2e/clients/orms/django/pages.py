"""The models of an app that uses what django.contrib.postgres has."""
from django.contrib.postgres.fields import ArrayField, BigIntegerRangeField, DateRangeField, DateTimeRangeField, DecimalRangeField, HStoreField, IntegerRangeField
from django.contrib.postgres.indexes import BTreeIndex, GinIndex, HashIndex, OpClass
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models.functions import Upper


class Page(models.Model):
    title = models.CharField(max_length=60)
    body = models.TextField()
    words = ArrayField(models.CharField(max_length=20), default=list, size=12)
    grid = ArrayField(ArrayField(models.IntegerField(null=True)), null=True)
    extra = models.JSONField(default=dict)
    labels = HStoreField(default=dict)
    found = SearchVectorField(null=True)
    made = models.GeneratedField(expression=SearchVector("title", config="simple"), output_field=SearchVectorField(), db_persist=True)

    class Meta:
        indexes = [
            GinIndex(fields=["found"], name="page_found"), GinIndex(fields=["words"], name="page_words"), GinIndex(fields=["extra"], name="page_extra", opclasses=["jsonb_path_ops"]),
            GinIndex(fields=["body"], name="page_body", opclasses=["gin_trgm_ops"]), GinIndex(SearchVector("body", config="english"), name="page_vector"),
            GinIndex(OpClass(Upper("title"), name="gin_trgm_ops"), name="page_upper"), GinIndex(fields=["labels"], name="page_labels"),
            BTreeIndex(fields=["title"], name="page_title", opclasses=["varchar_pattern_ops"], fillfactor=80), HashIndex(fields=["title"], name="page_hash"),
            models.Index(fields=["title"], name="page_partial", condition=models.Q(words__len__gt=0), include=["body"]),
        ]


class Stay(models.Model):
    room = models.IntegerField()
    days = DateRangeField()
    hours = DateTimeRangeField(null=True)
    floors = IntegerRangeField(null=True)
    big = BigIntegerRangeField(null=True)
    price = DecimalRangeField(null=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(days__isempty=False), name="stay_days"),
                       models.CheckConstraint(condition=models.Q(floors__startswith__gte=0) | models.Q(floors__lower_inf=True), name="stay_floors")]


class Line(models.Model):
    page = models.ForeignKey(Page, models.CASCADE, related_name="lines")
    number = models.IntegerField()
    text = models.TextField(db_collation="C")
