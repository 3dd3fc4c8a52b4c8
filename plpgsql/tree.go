// Package plpgsql reads the body of a function in PL/pgSQL into a tree: blocks, statements, and the texts of the SQL
// in them, with the variables that their names can mean. It knows nothing of types and values: package interpret runs
// the tree, and the session plans the SQL. PostgreSQL's own parser of PL/pgSQL gives no positions, and does not say to
// which block a variable belongs. Read Parse and Block first.
package plpgsql

import "math"

// Function is the body of a function.
type Function struct {
	Body *Block
	// Vars are all variables, by their slots: the parameters first, then FOUND, then those of blocks.
	Vars  []*Var
	Scope *Scope // of the parameters
	// Texts is all SQL, but for that which is made of values. Dynamic says that there is such.
	Texts   []*SQL
	Dynamic bool
	Cursors []CursorUse
}

// CursorUse is a variable that is used as a cursor, somewhere in the body.
type CursorUse struct {
	Var *Var
	At  int
}

// Scope is where names of variables are looked for.
type Scope struct {
	Outer *Scope
	Label string
	Vars  map[string]*Var
}

// Var is a variable.
type Var struct {
	Slot     int
	Name     string
	Type     string // as it is written, perhaps with %TYPE or %ROWTYPE; empty: the caller knows it
	Of       *Var   // a variable whose type it has; nil: none
	Constant bool
	NotNull  bool
	Default  *SQL
	Cursor   *Cursor // nil: it is not bound to a query
	Line     int
}

// Cursor is what a cursor is bound to.
type Cursor struct {
	Query  *SQL
	Args   []*Var // that the query may name
	Scroll Scroll
}

// Scroll says whether a cursor can go back: it may, by SCROLL it can, by NO SCROLL not.
type Scroll int8

// The ways.
const (
	MayScroll Scroll = 0
	DoScroll  Scroll = 1
	NoScroll  Scroll = -1
)

// Direction is where a FETCH goes, by SQL's words.
type Direction string

// All is the number of all rows.
const All = int64(math.MaxInt64)

// The directions. FIRST is ABSOLUTE 1, and LAST is ABSOLUTE -1.
const (
	Forward  Direction = "FORWARD"
	Backward Direction = "BACKWARD"
	Absolute Direction = "ABSOLUTE"
	Relative Direction = "RELATIVE"
)

// SQL is a text of SQL: an expression, or a statement.
type SQL struct {
	Text       string
	Before     string // of an assignment, what is in front of the expression
	Expression bool
	Line       int
	Scope      *Scope
}

// Block is a block of statements.
type Block struct {
	At
	Label    string
	Vars     []*Var
	Body     []Statement
	Handlers []Handler
	// State and Message are SQLSTATE and SQLERRM in the handlers.
	State, Message *Var
}

// Handler is WHEN ... THEN of EXCEPTION.
type Handler struct {
	Conditions []string // names, or codes after a %
	Body       []Statement
}

// At is the line of a statement, and what errors call it.
type At struct {
	Line int
	Kind string
}

// Where is the line of a statement, and what errors call it.
func (a At) Where() At { return a }

// Statement is a statement of PL/pgSQL.
//
//sumtype:decl
type Statement interface{ Where() At }

// Target is what a value is assigned to: a variable, or what a path in it leads to.
type Target struct {
	Var  *Var
	Path []Step
}

// Step is a step of a path: to a field, or by subscripts.
type Step struct {
	Field string // empty: by subscripts
	At    []Subscript
}

// Subscript is what stands in one pair of brackets. Without a slice there is only High.
type Subscript struct {
	Low, High *SQL // nil: it was left out
	Slice     bool
}

// The statements.
type (
	// Assign is target := expression.
	Assign struct {
		At
		Target Target
		Value  *SQL
	}
	// If is IF, with the branches of ELSIF.
	If struct {
		At
		Branches []Branch
		Else     []Statement
	}
	// Branch is a condition and what is run when it is true.
	Branch struct {
		Conditions []*SQL // of a CASE several
		Body       []Statement
	}
	// Case is CASE. Without ELSE it wants one of the branches.
	Case struct {
		At
		Value    *SQL // that the conditions compare with; nil: none
		Branches []Branch
		Else     []Statement
		HasElse  bool
	}
	// Loop is LOOP, or with a condition WHILE.
	Loop struct {
		At
		Label string
		While *SQL
		Body  []Statement
	}
	// ForRange is FOR over integers.
	ForRange struct {
		At
		Label        string
		Var          *Var
		Reverse      bool
		From, To, By *SQL
		Body         []Statement
	}
	// ForQuery is FOR over the rows of a query, which may be the text of an expression.
	ForQuery struct {
		At
		Label string
		Into  []Target
		Query *SQL
		Text  *Dynamic
		Body  []Statement
	}
	// ForEach is FOREACH over the elements of an array.
	ForEach struct {
		At
		Label string
		Into  Target
		Slice int
		Array *SQL
		Body  []Statement
	}
	// Exit is EXIT or CONTINUE.
	Exit struct {
		At
		Label    string
		When     *SQL
		Continue bool
	}
	// Return is RETURN.
	Return struct {
		At
		Value *SQL // nil: none
	}
	// ReturnNext is RETURN NEXT.
	ReturnNext struct {
		At
		Value *SQL // nil: the parameters are what is returned
	}
	// ReturnQuery is RETURN QUERY.
	ReturnQuery struct {
		At
		Query *SQL
		Text  *Dynamic
	}
	// Execute is a statement of SQL, with INTO, or PERFORM.
	Execute struct {
		At
		SQL     *SQL
		Into    []Target
		Strict  bool
		Perform bool
	}
	// ExecuteText is EXECUTE.
	ExecuteText struct {
		At
		Text   *Dynamic
		Into   []Target
		Strict bool
	}
	// Dynamic is the text of a statement, and the values of its parameters.
	Dynamic struct {
		Text  *SQL
		Using []*SQL
	}
	// Raise is RAISE; without a level, message and options it raises the error of the handler again.
	Raise struct {
		At
		Level     string
		Condition string
		Message   string
		Formatted bool
		Args      []*SQL
		Options   []RaiseOption
		Again     bool
	}
	// RaiseOption is name = value of USING.
	RaiseOption struct {
		Name  string
		Value *SQL
	}
	// Assert is ASSERT.
	Assert struct {
		At
		Condition, Message *SQL
	}
	// Diagnostics is GET DIAGNOSTICS.
	Diagnostics struct {
		At
		Stacked bool
		Items   []DiagnosticItem
	}
	// DiagnosticItem is target = item.
	DiagnosticItem struct {
		Target Target
		Item   string
	}
	// Open is OPEN, of a query, of the text of one, or of a bound cursor with values of its arguments.
	Open struct {
		At
		Cursor *Var
		Scroll Scroll
		Query  *SQL
		Text   *Dynamic
		Args   []*SQL
	}
	// Fetch is FETCH, or without targets MOVE.
	Fetch struct {
		At
		Cursor    *Var
		Direction Direction
		Number    int64 // where to it goes if there is no Count; All: to the end
		Count     *SQL
		Into      []Target
	}
	// Close is CLOSE.
	Close struct {
		At
		Cursor *Var
	}
	// ForCursor is FOR over a bound cursor.
	ForCursor struct {
		At
		Label  string
		Var    *Var
		Cursor *Var
		Args   []*SQL
		Body   []Statement
	}
	// End is COMMIT or ROLLBACK, perhaps AND CHAIN.
	End struct {
		At
		Rollback, Chain bool
	}
	// Null is NULL.
	Null struct{ At }
)
