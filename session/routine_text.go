package session

import (
	"zproxy/plpgsql"
	"zproxy/plpgsql/interpret"
)

// routineText is a text of SQL in a function, as errors tell of it.
type routineText struct {
	text   string
	before int // how many bytes of it less are in front of a part of it than in what is parsed
	what   string
}

// selects makes a statement of an expression.
const selects = "SELECT "

// textOf is the text of an expression or a statement.
func textOf(q *plpgsql.SQL) routineText {
	switch {
	case q.Before != "":
		return routineText{q.Before + q.Text, len(selects) - len(q.Before), "PL/pgSQL assignment"}
	case q.Expression:
		return routineText{q.Text, len(selects), "SQL expression"}
	}
	return statementText(q.Text)
}

// statementText is the text of a statement.
func statementText(text string) routineText { return routineText{text, 0, "SQL statement"} }

// parsedAs is what a text is parsed as.
func parsedAs(q *plpgsql.SQL) string {
	if q.Expression {
		return selects + q.Text
	}
	return q.Text
}

// located is an error in the text: the client is shown the text where the error has a position in it.
func (t routineText) located(err error) error {
	e := interpret.Caught(err)
	if e == nil || e.Position <= t.before || e.Position == 0 || e.Query != "" {
		return inContext(err, t.what+" \""+t.text+"\"")
	}
	c := *e
	c.Position, c.Query = characters(t.text, e.Position-1-t.before)+1, t.text
	return &c
}
