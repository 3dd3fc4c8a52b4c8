package ast

// Select is a SELECT, or VALUES when Values is set.
type Select struct {
	Distinct   bool // also when DistinctOn is set
	DistinctOn []Expr
	Targets    []Target
	From       []From // several items are a cross join
	Where      Expr
	GroupBy    []Expr
	Having     Expr
	Values     [][]Expr
	OrderBy    []Sort
	Limit      Expr // nil: none
	Offset     Expr
	Hints      []Hint
	Pos        Pos
}

// Target is one expression of a select list or a RETURNING list.
type Target struct {
	Expr  Expr
	Alias string
	Pos   Pos
}

// Sort is one expression of an ORDER BY.
type Sort struct {
	Expr  Expr
	Desc  bool
	Nulls NullsOrder
}

// NullsOrder says where NULLs sort.
type NullsOrder uint8

// The orders of NULLs. The default is last in ascending and first in descending order.
const (
	NullsDefault NullsOrder = iota
	NullsFirst
	NullsLast
)

// From is an item of a FROM list.
//
//sumtype:decl
type From interface{ from() }

// FromTable is a table or view by name.
type FromTable struct {
	Name    Name
	Alias   string
	Columns []string // aliases of its columns
}

// FromSelect is a subquery in FROM.
type FromSelect struct {
	Select  *Select
	Alias   string
	Columns []string
	Pos     Pos
}

func (*FromTable) from()  {}
func (*FromSelect) from() {}

// Insert is an INSERT; Replace makes it MySQL's REPLACE. A nil Select means DEFAULT
// VALUES.
type Insert struct {
	Table      Name
	Columns    []ColumnName // empty: all
	Select     *Select
	OnConflict *OnConflict
	Returning  []Target
	Replace    bool
}

// ColumnName is a column where only a name may stand.
type ColumnName struct {
	Name string
	Pos  Pos
}

// OnConflict is ON CONFLICT [(Columns) | ON CONSTRAINT c] DO NOTHING | UPDATE.
type OnConflict struct {
	Columns    []ColumnName
	Constraint string
	Update     []Assignment // empty: DO NOTHING
	Where      Expr
	Pos        Pos
}

// Assignment is column = value in UPDATE; Value may be Default.
type Assignment struct {
	Column ColumnName
	Value  Expr
}

// Update is an UPDATE of one table.
type Update struct {
	Table     Name
	Alias     string
	Set       []Assignment
	Where     Expr
	Returning []Target
	Hints     []Hint
}

// Delete is a DELETE from one table.
type Delete struct {
	Table     Name
	Alias     string
	Where     Expr
	Returning []Target
	Hints     []Hint
}

// Copy is COPY table FROM STDIN or COPY table | (query) TO STDOUT.
type Copy struct {
	Table   Name
	Columns []ColumnName
	Query   *Select
	To      bool
	Options []Option
	Where   Expr
}

// CreateTable is a CREATE TABLE with its constraints lifted to the table.
type CreateTable struct {
	Table       Name
	IfNotExists bool
	Columns     []ColumnDef
	PrimaryKey  []KeyPart // empty: none
	PrimaryPos  Pos
	PrimaryName string
	Uniques     []Unique
	PartitionBy []KeyPart // PARTITION BY HASH (...)
	Options     []Option  // WITH (...)
}

// ColumnDef is a column of CREATE TABLE.
type ColumnDef struct {
	Name        string
	Type        TypeName
	NotNull     bool
	Default     Expr
	DefaultText string // the text of Default
	Pos         Pos
}

// Unique is a UNIQUE constraint.
type Unique struct {
	Name    string
	Columns []KeyPart
}

// KeyPart is one column of a key.
type KeyPart struct {
	Column   string
	Desc     bool
	Nulls    NullsOrder
	OpClass  string   // zorder_ops
	OpParams []Option // zorder_ops (bits = 20)
	Pos      Pos
}

// Option is name = value, in WITH and in parentheses of a statement. Value is the text
// as written without its quotes, empty when there is none; of a list, joined by ", ".
type Option struct {
	Name  string // lower case
	Value string
	Pos   Pos
}

// DropTable is DROP TABLE.
type DropTable struct {
	Tables   []Name
	IfExists bool
}

// CreateIndex is CREATE INDEX in every accepted spelling.
type CreateIndex struct {
	Name         string // empty: made from the columns
	Table        Name
	Method       string // btree, zorder
	Unique       bool
	IfNotExists  bool
	Concurrently bool
	NullFiltered bool
	Keys         []KeyPart
	Include      []ColumnName
	Where        Expr
	Options      []Option
	Pos          Pos
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

// Analyze is ANALYZE of some tables, or of all.
type Analyze struct{ Tables []Name }

// Explain is EXPLAIN with its options in lower case.
type Explain struct {
	Statement Statement
	Options   []Option // analyze, why, verbose, costs, format, ...
}

// Set is SET name = value, RESET name (Default) or RESET ALL (name "all", Default).
type Set struct {
	Name    string
	Value   string
	Default bool
	Local   bool
}

// Show is SHOW name, or SHOW ALL with the name "all".
type Show struct{ Name string }

// Transaction is BEGIN, COMMIT and their kin.
type Transaction struct {
	Kind    TransactionKind
	Name    string   // of a savepoint
	Options []Option // transaction_isolation, transaction_read_only, transaction_deferrable
}

// TransactionKind is what a Transaction does.
type TransactionKind uint8

// The kinds.
const (
	Begin TransactionKind = iota
	Start                 // START TRANSACTION, which is BEGIN but answers by its own name
	Commit
	Rollback
	Savepoint
	Release
	RollbackTo
	SetTransaction     // SET TRANSACTION: this one
	SetCharacteristics // SET SESSION CHARACTERISTICS AS TRANSACTION: the coming ones
)

func (*Select) statement()      {}
func (*Insert) statement()      {}
func (*Update) statement()      {}
func (*Delete) statement()      {}
func (*Copy) statement()        {}
func (*CreateTable) statement() {}
func (*DropTable) statement()   {}
func (*CreateIndex) statement() {}
func (*DropIndex) statement()   {}
func (*ShowIndex) statement()   {}
func (*Analyze) statement()     {}
func (*Explain) statement()     {}
func (*Set) statement()         {}
func (*Show) statement()        {}
func (*Transaction) statement() {}
