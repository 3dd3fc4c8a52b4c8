package system

import (
	"math"

	"zproxy/expr"
	"zproxy/expr/builtin/pgproc"
)

// Objects tells functions of what the catalog has. An object is asked for by the name of
// the catalog that PostgreSQL keeps such objects in: pg_class, pg_type.
type Objects interface {
	// Find is the number of the object that a name stands for.
	Find(class, name string) (uint32, error)
	// Object is the object with a number; nil when there is none.
	Object(class string, oid uint32) *Object
	// Expression is an expression that the catalog keeps, over the columns of a relation, as
	// it is printed. It says false where the number is not that of a relation.
	Expression(text string, relation uint32, l Layout) (string, bool)
	// Privileges are what a role may do with an object, and what of it it may grant: with the object itself, with
	// a column of it, or with AnyColumn. The number 0 stands for everybody.
	Privileges(role uint32, class string, oid uint32, column int16) (have, options Privileges)
	// Belongs says what a role may do with another one that it perhaps belongs to.
	Belongs(role, to uint32) Membership
	// Role is the present role.
	Role() uint32
}

// AnyColumn is the number that stands for all columns of a relation with which a role may do something.
const AnyColumn = math.MinInt16

// Privileges is a set of privileges: of those in the order in which PostgreSQL shows them,
// each is one bit.
type Privileges uint32

// Membership is how a role belongs to another.
type Membership struct {
	Member bool // it may become the other
	Usage  bool // it may do what the other may
	Admin  bool // it may make others members
}

// Object is what functions tell of one object.
type Object struct {
	Name    string // as it is kept: without a schema, not quoted
	Schema  string // empty where names have none
	Visible bool   // search_path leads to it
	Comment string
	// Definition is the statement, query or clause that makes it. nil: there is none.
	Definition func(l Layout) string
	// Expressions are those of a statistics object, or those of USING and WITH CHECK of a policy. nil: there are none.
	Expressions func(l Layout) []string
	Proc        *pgproc.Proc    // of a function, an aggregate or a window function; nil for others
	Relation    *RelationObject // nil for what is no relation
	Guarded     bool            // policies bear on what the present role does with a table
	// Bytes is what is in a database or in a tablespace. nil: it is neither.
	Bytes func() (int64, error)
}

// Layout is how a definition is written.
type Layout struct {
	Pretty bool // with as few parentheses as can be
	Wrap   int  // of a query: the length of lines; 0 gives every column one
	// Columns leaves out all of a statistics object but its columns.
	Columns bool
}

// RelationObject is what functions tell of a table, an index, a view or a sequence.
type RelationObject struct {
	Kind    RelationKind
	Columns []ObjectColumn // an index has those of its key, and then those that it includes
	Keys    int            // how many of them are the key of an index; how many keys a partitioned table has
	Method  string         // of an index
	// Bytes is what its rows or entries take, and IndexBytes what the entries of a table's indexes
	// do; nil: nothing. Estimate is what Bytes is thought to be by the statistics.
	Bytes, IndexBytes func() (int64, error)
	Estimate          float64
	PrimaryKey        uint32 // of a table; 0: it has none
	// PartitionKey is what a table is partitioned by, and Range the condition for the rows of a partition; empty: it
	// is none.
	PartitionKey, Range string
	// PartitionOf is the relation that it is a partition of; 0: none. Divided says that it may have partitions itself.
	PartitionOf uint32
	Divided     bool
	Partitions  []uint32
	indexTexts
	ReadOnly bool // no statement may write it
}

// RelationKind is the letter that pg_class has for a kind of relation.
type RelationKind byte

// The kinds of relations.
const (
	TableRelation    RelationKind = 'r'
	ForeignRelation  RelationKind = 'f'
	IndexRelation    RelationKind = 'i'
	ViewRelation     RelationKind = 'v'
	SequenceRelation RelationKind = 'S'
	// CompositeRelation is a composite type.
	CompositeRelation RelationKind = 'c'
	// MaterializedRelation is a materialized view.
	MaterializedRelation RelationKind = 'm'
)

// indexTexts are of an index.
type indexTexts struct {
	// Condition is which rows a partial index holds. nil: it is none.
	Condition func(l Layout) string
	// Expressions are those that an index is over. nil: it is over columns alone.
	Expressions func(l Layout) string
}

// ObjectColumn is a column of a relation.
type ObjectColumn struct {
	Number  int64
	Name    string
	Comment string
	// Desc and NullsFirst are the order in the key of an index.
	Desc, NullsFirst bool
	// Default is the expression of a table's column, or of the key of an index; nil: it has none.
	Default func(l Layout) string
	// Computed is set of a column of a view that no statement may write.
	Computed bool
}

// Column finds a column by its number, nil when there is none.
func (r *RelationObject) Column(number int64) *ObjectColumn {
	for i := range r.Columns {
		if r.Columns[i].Number == number {
			return &r.Columns[i]
		}
	}
	return nil
}

// ColumnNamed finds a column by its name, nil when there is none.
func (r *RelationObject) ColumnNamed(name string) *ObjectColumn {
	for i := range r.Columns {
		if r.Columns[i].Name == name {
			return &r.Columns[i]
		}
	}
	return nil
}

// The catalogs that objects are asked for by.
const (
	classRelation   = "pg_class"
	classType       = "pg_type"
	classFunction   = "pg_proc"
	classOperator   = "pg_operator"
	classRule       = "pg_rewrite"
	classSchema     = "pg_namespace"
	classDatabase   = "pg_database"
	classRole       = "pg_authid"
	classLanguage   = "pg_language"
	classTablespace = "pg_tablespace"
	classWrapper    = "pg_foreign_data_wrapper"
	classServer     = "pg_foreign_server"
	classConstraint = "pg_constraint"
	classCollation  = "pg_collation"
	classStatistics = "pg_statistic_ext"
	classTrigger    = "pg_trigger"
)

// objectOf finds an object by its number, nil when there is none.
func objectOf(c *expr.Context, class string, oid int64) *Object {
	if hostOf(c).Objects == nil {
		return nil
	}
	return hostOf(c).Objects.Object(class, uint32(oid))
}

// relationOf finds a relation by its number, nil when there is none.
func relationOf(c *expr.Context, oid int64) *RelationObject {
	if o := objectOf(c, classRelation, oid); o != nil {
		return o.Relation
	}
	return nil
}
