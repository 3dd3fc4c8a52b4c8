package ast

func (*Select) statement()          {}
func (*Insert) statement()          {}
func (*Update) statement()          {}
func (*Delete) statement()          {}
func (*Merge) statement()           {}
func (*Copy) statement()            {}
func (*CreateTable) statement()     {}
func (*Drop) statement()            {}
func (*CreateTableAs) statement()   {}
func (*Refresh) statement()         {}
func (*CreateView) statement()      {}
func (*CreateSchema) statement()    {}
func (*CreateSequence) statement()  {}
func (*AlterSequence) statement()   {}
func (*AlterTable) statement()      {}
func (*Rename) statement()          {}
func (*SetSchema) statement()       {}
func (*Comment) statement()         {}
func (*Truncate) statement()        {}
func (*LockTable) statement()       {}
func (*SetConstraints) statement()  {}
func (*Prepare) statement()         {}
func (*ExecutePrepared) statement() {}
func (*Deallocate) statement()      {}
func (*DeclareCursor) statement()   {}
func (*Fetch) statement()           {}
func (*CloseCursor) statement()     {}
func (*Discard) statement()         {}
func (*Unlisten) statement()        {}
func (*Listen) statement()          {}
func (*Notify) statement()          {}
func (*Checkpoint) statement()      {}
func (*Load) statement()            {}
func (*CreateIndex) statement()     {}
func (*DropIndex) statement()       {}
func (*ShowIndex) statement()       {}
func (*Analyze) statement()         {}
func (*Explain) statement()         {}
func (*Set) statement()             {}
func (*Show) statement()            {}
func (*Transaction) statement()     {}

// Insert is an INSERT; Replace makes it MySQL's REPLACE, Upsert Lindorm's UPSERT. A nil Select
// means DEFAULT VALUES.
type Insert struct {
	With       *With
	Table      Name
	Alias      string
	Overriding string       // "", system, user
	Columns    []ColumnName // empty: all
	Select     *Select
	OnConflict *OnConflict
	Returning  []Target
	Replace    bool
	Upsert     bool
	Hints      []Hint // that are Timed
}

// ColumnName is a column where only a name may stand, or one that gets a value.
type ColumnName struct {
	Name string
	Path []Step // behind the name of one that gets a value: c[1].f
	Pos  Pos
}

// OnConflict is ON CONFLICT [(Columns) | ON CONSTRAINT c] DO NOTHING | UPDATE.
type OnConflict struct {
	Columns    []ColumnName
	Exprs      []Expr   // expressions among Columns
	Classes    []string // the operator classes of Columns, and then of Exprs; empty: any
	Predicate  Expr     // the WHERE behind Columns, of a partial index
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

// Update is an UPDATE of one table. SET (a, b) = (1, 2) is two Assignments; of SET (a, b) =
// (SELECT ...) each Value is a SubqueryColumn.
type Update struct {
	With      *With
	Table     Name
	Alias     string
	Set       []Assignment
	From      []From
	Where     Expr
	Returning []Target
	Hints     []Hint
}

// Delete is a DELETE from one table.
type Delete struct {
	With      *With
	Table     Name
	Alias     string
	Using     []From
	Where     Expr
	Returning []Target
	Hints     []Hint
}

// Merge is MERGE: rows of one table are written by which rows of a source they match. The first When of a row counts.
type Merge struct {
	With  *With
	Table Name
	Alias string
	Using From
	On    Expr
	Whens []MergeWhen
	// Returning sees the source, then the table.
	Returning []Target
	Hints     []Hint
}

// MergeWhen says what is done with rows that match, or with those of the source that match none, or with those of the
// table that none of the source matches.
type MergeWhen struct {
	Matched    bool
	BySource   bool // none of the source matches
	Cond       Expr // nil: always
	Do         MergeAction
	Set        []Assignment // of an update
	Columns    []ColumnName // of an insert; nil: all
	Values     []Expr       // nil: DEFAULT VALUES
	Overriding string
}

// MergeActionName is the column of what is done with a row, which merge_action() reads.
const MergeActionName = "merge_action()"

// MergeAction is what a MergeWhen does.
type MergeAction uint8

// The actions.
const (
	MergeNothing MergeAction = iota
	MergeInsert
	MergeUpdate
	MergeDelete
)

// Copy is COPY table FROM STDIN or COPY table | (query) TO STDOUT. A query may be any
// statement that gives rows.
type Copy struct {
	Table   Name
	Columns []ColumnName
	Query   Statement
	To      bool
	Options []Option
	Where   Expr
}

// Truncate is TRUNCATE.
type Truncate struct {
	Tables          []Name
	RestartIdentity bool
	Cascade         bool
}

// LockTable is LOCK TABLE.
type LockTable struct {
	Tables []Name
	Mode   string // access exclusive, in lower case
	NoWait bool
}

// Prepare is PREPARE.
type Prepare struct {
	Name      string
	Types     []TypeName
	Statement Statement
	Params    int // the highest $n
	Notices   []Notice
	Clauses   []Clause
	// AllowFiltering is that of Statement.
	AllowFiltering bool
}

// ExecutePrepared is EXECUTE.
type ExecutePrepared struct {
	Name string
	Args []Expr
	Pos  Pos
}

// Deallocate is DEALLOCATE; an empty name means all.
type Deallocate struct{ Name string }

// DeclareCursor is DECLARE.
type DeclareCursor struct {
	Name     string
	Query    *Select
	Hold     bool
	Binary   bool
	Scroll   bool
	NoScroll bool
	// Resumable is WITH (resumable), and Token the one that it goes on at; empty: it begins at the front.
	Resumable bool
	Token     string
	// Text is that of the query of a resumable cursor, with one blank between its tokens and without comments.
	Text string
}

// Fetch is FETCH and MOVE.
type Fetch struct {
	Cursor    string
	Move      bool
	Direction Direction
	Count     int64 // of rows, or the place of Absolute and Relative; AllRows for ALL
}

// AllRows is the Count of FETCH ALL.
const AllRows = int64(^uint64(0) >> 1)

// Direction is where a Fetch goes. FIRST is Absolute 1, LAST is Absolute -1.
type Direction uint8

// It goes forward unless the statement says otherwise.
const (
	Backward Direction = iota + 1
	Absolute
	Relative
)

// CloseCursor is CLOSE; an empty name means all.
type CloseCursor struct{ Name string }

// Discard is DISCARD: all, plans, sequences or temp.
type Discard struct{ What string }

// Listen is LISTEN.
type Listen struct{ Channel string }

// Unlisten is UNLISTEN of a channel; an empty name means all.
type Unlisten struct{ Channel string }

// Notify is NOTIFY.
type Notify struct{ Channel, Payload string }

// Checkpoint is CHECKPOINT.
type Checkpoint struct{}

// Load is LOAD of a library.
type Load struct{ Library string }

// Analyze is ANALYZE of some tables, or of all.
type Analyze struct {
	Tables  []Name
	Columns [][]string // of each of the tables; nil: all
	Verbose bool
}

// Vacuum is VACUUM of some tables, or of all.
type Vacuum struct {
	Analyze
	Learn bool // with ANALYZE
}

// Cluster is CLUSTER of a table, or without one of all that were clustered before.
type Cluster struct {
	Table *Name
	Index string // empty: the one that was named last
}

func (*Cluster) statement() {}

// Explain is EXPLAIN with its options in lower case.
type Explain struct {
	Statement Statement
	Options   []Option // analyze, why, verbose, costs, format, ...
}

// Set is SET name = value or DEFAULT, RESET name (Default) or RESET ALL (name "all",
// Default).
type Set struct {
	Name    string
	Values  []string
	Default bool
	Reset   bool // written as RESET, which is what the client is answered
	Current bool // FROM CURRENT: to the value that the session has
	Local   bool
}

// Show is SHOW name, or SHOW ALL with the name "all".
type Show struct{ Name string }

// Transaction is BEGIN, COMMIT and their kin.
type Transaction struct {
	Kind    TransactionKind
	Name    string   // of a savepoint
	GID     string   // of a prepared transaction
	Verb    string   // of TwoPhase: PrepareTransaction or another one
	Options []Option // transaction_isolation, transaction_read_only, transaction_deferrable
	Chain   bool     // COMMIT AND CHAIN: another begins at once
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
	SetSnapshot        // SET TRANSACTION SNAPSHOT: to the one with the name
	SetCharacteristics // SET SESSION CHARACTERISTICS AS TRANSACTION: the coming ones
	TwoPhase           // PREPARE TRANSACTION, COMMIT PREPARED, ROLLBACK PREPARED
)

// PrepareTransaction is the name of the statement that would prepare a transaction.
const PrepareTransaction = "PREPARE TRANSACTION"
