package ast

import "zproxy/catalog/reference"

// CreateTable is a CREATE TABLE with its constraints lifted to the table.
type CreateTable struct {
	Table       Name
	IfNotExists bool
	Columns     []ColumnDef
	ColumnSources
	PrimaryKey  []KeyPart // empty: none
	PrimaryPos  Pos
	PrimaryName string
	KeyClauses  // of the primary key
	Uniques     []Unique
	Checks      []Check
	ForeignKeys []ForeignKey
	PartitionBy *PartitionBy
	PartitionOf *PartitionOf
	Options     []Option // WITH (...)
	Foreign     *Foreign // of CREATE FOREIGN TABLE
	OnCommit    OnCommit
}

// ColumnSources are what a new table has columns from besides those that are declared.
type ColumnSources struct {
	Likes    []LikeTable
	Inherits []Name
	// OfType is the composite type that the table has all columns from, nil where it has its own. Those that are
	// declared have no types then, and say what else there is of some of them.
	OfType *TypeName
}

// LikeTable is LIKE among the columns of a new table.
type LikeTable struct {
	Table     Name
	After     int // how many columns of the statement stand before it
	Including LikeOptions
}

// LikeOptions are what INCLUDING of LIKE takes over besides columns.
type LikeOptions uint32

// The bits are those of PostgreSQL's grammar.
const (
	LikeComments LikeOptions = 1 << iota
	LikeCompression
	LikeConstraints
	LikeDefaults
	LikeGenerated
	LikeIdentity
	LikeIndexes
	LikeStatistics
	LikeStorage
)

// KeyClauses are what UNIQUE and PRIMARY KEY say besides columns.
type KeyClauses struct {
	KeyMethod  string // of PRIMARY KEY USING zorder (...)
	KeyInclude []ColumnName
	KeyOptions []Option // WITH (...)
	KeyIndex   string   // USING INDEX, in the place of columns
	reference.Timing
}

// PartitionBy is PARTITION BY.
type PartitionBy struct {
	Strategy string // hash, list, range
	Keys     []KeyPart
	Pos      Pos
}

// OnCommit is what becomes of a temporary table at each commit.
type OnCommit uint8

// Its rows stay unless the statement says otherwise.
const (
	PreserveRows OnCommit = iota
	DeleteRows
	DropAtCommit
)

// PartitionOf is PARTITION OF a table, with FOR VALUES or DEFAULT.
type PartitionOf struct {
	Parent             Name
	Default            bool
	From, To           []Edge // of a range
	In                 []Edge // of a list
	Modulus, Remainder int    // of hashes; Modulus is 0 elsewhere
	Strategy           string // of FOR VALUES: hash, list, range
	Pos                Pos    // of the bounds
	// Commands are what the columns and constraints in parentheses do to the partition.
	Commands []AlterCommand
}

// Edge is one end of a range in FOR VALUES: a value, MINVALUE or MAXVALUE.
type Edge struct {
	Infinity int8 // -1: MINVALUE, 1: MAXVALUE, 0: Value
	Value    Expr
	Pos      Pos
}

// ColumnDef is a column of CREATE TABLE.
type ColumnDef struct {
	Name        string
	Type        TypeName
	NotNull     bool
	Default     Expr
	DefaultText string   // the text of Default
	Generated   bool     // Default is GENERATED ALWAYS AS (...) STORED
	Identity    string   // "", always, by default
	Sequence    []Option // of an identity: (START WITH ...)
	Options     []Option // of a foreign table
	Settings    []Option // STORAGE, COMPRESSION
	Collation   Name     // empty: that of the type
	Pos         Pos
}

// Check is a CHECK constraint.
type Check struct {
	Name string
	Expr Expr
	Text string // the text of Expr
	reference.Validity
	NoInherit bool
	Pos       Pos
}

// ForeignKey is a FOREIGN KEY constraint, or REFERENCES of a column.
type ForeignKey struct {
	Name               string
	Columns            []string
	Table              Name
	Refers             []string // empty: the primary key
	Full               bool     // MATCH FULL
	OnDelete, OnUpdate string   // by SQL's words
	Sets               []string // of ON DELETE SET ... (columns)
	reference.Timing
	reference.Validity
	Pos Pos
}

// SetConstraints is SET CONSTRAINTS.
type SetConstraints struct {
	Names    []Name // nil: ALL
	Deferred bool
}

// Unique is a UNIQUE constraint.
type Unique struct {
	Name       string
	Columns    []KeyPart
	NullsEqual bool // NULLS NOT DISTINCT
	KeyClauses
	Pos Pos
}

// KeyPart is one column of a key, or in an index and in PARTITION BY an expression.
type KeyPart struct {
	Column    string
	Expr      Expr   // in the place of a column
	Text      string // the text of Expr
	Desc      bool
	Nulls     NullsOrder
	OpClass   string   // zorder_ops
	OpParams  []Option // zorder_ops (bits = 20)
	Collation Name     // empty: that of the column
	Pos       Pos
}

// Option is name = value, in WITH and in parentheses of a statement. Value is the text
// as written without its quotes, empty when there is none; of a list, joined by ", ".
type Option struct {
	Name  string // lower case
	Value string
	List  []string // of names, when the value is one
	Pos   Pos
}

// ObjectKind is a kind of thing that DDL names.
type ObjectKind string

// The kinds of objects, by SQL's words.
const (
	TableObject      ObjectKind = "table"
	ForeignObject    ObjectKind = "foreign table"
	ViewObject       ObjectKind = "view"
	SequenceObject   ObjectKind = "sequence"
	IndexObject      ObjectKind = "index"
	SchemaObject     ObjectKind = "schema"
	ColumnObject     ObjectKind = "column"
	ConstraintObject ObjectKind = "constraint"
	DatabaseObject   ObjectKind = "database"
	RoleObject       ObjectKind = "role"
	StatisticsObject ObjectKind = "statistics"
	ExtensionObject  ObjectKind = "extension"
	FunctionObject   ObjectKind = "function"
	ProcedureObject  ObjectKind = "procedure"
	RoutineObject    ObjectKind = "routine" // a function or a procedure
	AggregateObject  ObjectKind = "aggregate"
	TypeObject       ObjectKind = "type"
	TriggerObject    ObjectKind = "trigger"
	DomainObject     ObjectKind = "domain"
	AttributeObject  ObjectKind = "attribute" // of a composite type, as ColumnObject is one of a table
	// DomainConstraintObject is a constraint of a domain, as ConstraintObject is one of a table.
	DomainConstraintObject ObjectKind = "domain constraint"
	PolicyObject           ObjectKind = "policy" // of a table
	// MaterializedObject is a materialized view.
	MaterializedObject ObjectKind = "materialized view"
	// LargeObject is a large object, whose name is its number.
	LargeObject ObjectKind = "large object"
	// OperatorObject is an operator, whose name has the types of its operands, as a function's.
	OperatorObject ObjectKind = "operator"
	// CastObject is a cast, which has two types in the place of a name.
	CastObject ObjectKind = "cast"
	// PublicationObject is a publication.
	PublicationObject ObjectKind = "publication"
	// CollationObject is a collation.
	CollationObject ObjectKind = "collation"
)

// Drop is DROP TABLE, VIEW, SEQUENCE or SCHEMA, whose name is in Name.Name.
type Drop struct {
	Kind     ObjectKind
	Names    []Name
	Part     string      // of Names[0]: the trigger or the rule
	Routines []Signature // in the place of Names
	IfExists bool
	Cascade  bool
}

// CreateTableAs is CREATE TABLE AS and SELECT INTO.
type CreateTableAs struct {
	Table       Name
	IfNotExists bool
	Columns     []string
	Query       Statement // a Select or an ExecutePrepared
	NoData      bool
	Into        bool // SELECT INTO
	Options     []Option
	OnCommit    OnCommit
	// Materialized says that the table is a materialized view. Text is that of its query.
	Materialized bool
	Text         string
}

// Refresh is REFRESH MATERIALIZED VIEW.
type Refresh struct {
	View         Name
	Concurrently bool
	NoData       bool
}

// CreateView is CREATE VIEW.
type CreateView struct {
	Name    Name
	Replace bool
	Columns []string
	Query   *Select
	Text    string // the text of Query
	Options []Option
}

// CreateSchema is CREATE SCHEMA.
type CreateSchema struct {
	Name        string    // empty: that of the owner
	Owner       *RoleName // nil: who makes it
	IfNotExists bool
	Elements    []Statement
	Pos         Pos
}

// CreateSequence is CREATE SEQUENCE. Its options are start, increment, minvalue, maxvalue,
// cache, cycle, as, owned_by, restart; one without a value (NO MAXVALUE) has the value "".
type CreateSequence struct {
	Name        Name
	IfNotExists bool
	Options     []Option
}

// AlterSequence is ALTER SEQUENCE with the options of CreateSequence.
type AlterSequence struct {
	Name     Name
	IfExists bool
	Options  []Option
}

// AlterTable is ALTER TABLE, but for what is a Rename or a SetSchema.
type AlterTable struct {
	Kind     ObjectKind // what Table is said to be: ALTER TABLE is of every relation
	Table    Name
	Only     bool // ALTER TABLE ONLY: not its partitions
	IfExists bool
	Commands []AlterCommand
	Actions  []string  // what the statement says, in the words of PostgreSQL's errors
	Owner    *RoleName // OWNER TO among other commands
}

// AlterCommand is one change of an ALTER TABLE.
type AlterCommand struct {
	Kind       AlterKind
	Name       string     // of the column or the constraint
	Column     *ColumnDef // AddColumn; of SetType, SetRowType its Type; of a constraint the column that comes with it
	Check      *Check
	Unique     *Unique
	ForeignKey *ForeignKey // AddForeignKey; of AlterConstraint its Timing
	PrimaryKey []KeyPart
	KeyClauses      // of AddPrimaryKey
	Using      Expr // of SetType
	Identity   string
	Options    []Option
	Changes    []OptionChange
	Partition  *PartitionChange
	Trigger    *TriggerSwitch
	Parent     Name // of AddParent and DropParent
	IfExists   bool // IF [NOT] EXISTS
	Cascade    bool
	Pos        Pos
}

// The options of SetColumn that are no options of PostgreSQL.
const (
	StatisticsOption  = "statistics"
	StorageOption     = "storage"
	CompressionOption = "compression"
	NumberOption      = "column number" // of a column of an index, in the place of its name
)

// AlterKind is what an AlterCommand does.
type AlterKind uint8

// The kinds of changes.
const (
	AddColumn AlterKind = iota
	DropColumn
	SetDefault // of Column.Default
	DropDefault
	SetNotNull
	DropNotNull
	SetType
	AddCheck
	AddUnique
	AddPrimaryKey
	DropConstraint
	AddIdentity
	DropIdentity
	SetOptions // WITH-options
	ResetOptions
	ChangeOptions // of a foreign table, or with Name of a column of it
	ChangePartition
	SetColumn // Options: statistics, storage, compression, and those of SET (...), with an empty value for RESET
	NameIndex // REPLICA IDENTITY USING INDEX
	ClusterOn // without Name: SET WITHOUT CLUSTER
	Nothing   // what changes nothing here, but must be allowed
	AddForeignKey
	ValidateConstraint
	AlterConstraint
	EnforceConstraint // or not, by ForeignKey.NotEnforced
	SwitchTriggers
	DropExpression
	SetIdentity // Identity, and Options of the sequence
	EnableRowSecurity
	DisableRowSecurity
	ForceRowSecurity
	NoForceRowSecurity
	AddParent
	DropParent
	SwitchRule
	SetRowType  // OF a composite type
	DropRowType // NOT OF
)

// PartitionChange is what ALTER TABLE or ALTER INDEX attaches or detaches.
type PartitionChange struct {
	Name         Name
	Detach       bool
	Finalize     bool         // the end of a detach
	Bound        *PartitionOf // of a table that is attached
	Concurrently bool
}

// Rename is ALTER ... RENAME.
type Rename struct {
	Kind     ObjectKind // of a column, a constraint, a trigger, a policy or a rule, Name is its table
	Of       ObjectKind // of a column: what Name is said to be
	Name     Name
	Routine  *Signature // in the place of Name
	Table    *Name      // ON t behind the name of an index
	Old      string     // the column, constraint, trigger, policy or rule
	New      string
	IfExists bool
	Cascade  bool // of an attribute: its typed tables, too
}

// SetSchema is ALTER ... SET SCHEMA.
type SetSchema struct {
	Kind     ObjectKind
	Name     Name
	Routine  *Signature // in the place of Name
	Schema   string
	IfExists bool
}

// Comment is COMMENT ON; a nil Text takes the comment away.
type Comment struct {
	Kind    ObjectKind
	Name    Name       // of a column, constraint, trigger, policy or rule: its table
	Routine *Signature // in the place of Name
	Column  string
	Text    *string
}

// CreateIndex is CREATE INDEX in every accepted spelling.
type CreateIndex struct {
	Name         string // empty: made from the columns
	Table        Name
	Only         bool   // ON ONLY: not on its partitions
	Method       string // btree, zorder
	Unique       bool
	IfNotExists  bool
	Concurrently bool
	Timing       Timing // Lindorm's ASYNC and SYNC
	NullFiltered bool
	NullsEqual   bool // NULLS NOT DISTINCT
	Keys         []KeyPart
	Include      []ColumnName
	Where        Expr
	WhereText    string // the text of Where
	Options      []Option
}

// DropIndex is DROP INDEX, with the table in the MySQL form.
type DropIndex struct {
	Indexes      []Name
	Table        *Name
	IfExists     bool
	Concurrently bool
}

// ShowIndex is SHOW INDEX FROM table.
type ShowIndex struct{ Table Name }
