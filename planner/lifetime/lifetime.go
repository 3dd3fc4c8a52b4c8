// Package lifetime has the conditions that leave out rows which are stored and no longer there: those that have
// expired by the TTL of a table, and those that are kept only for the timestamp of their delete. The planner adds
// them to scans, and other packages recognize them as conditions that the statement did not contain. How a table gets
// a TTL is in catalog/define, and cluster/expiry removes expired rows. Read Alive first.
package lifetime

import (
	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/types"
	"zproxy/types/interval"
)

// Alive is the condition, over the columns of a table, for its rows to be there; nil where all are that
// are stored. Every scan for a statement has it.
func Alive(t *catalog.Table) expr.Expr {
	if t.TTL == nil {
		return Undeleted(t)
	}
	column := ttlColumn(t)
	alive := expr.Compare{Op: expr.GT, Left: column, Right: Cutoff(t)}
	if t.Columns[column.Index].NotNull {
		return alive
	}
	return expr.Logic{Or: true, Args: []expr.Expr{expr.IsNull{Arg: column}, alive}}
}

// Undeleted is the condition for rows not to be stored only for the timestamp of their delete; nil where no delete
// has one. Rows that do not meet it have no entries in indexes.
func Undeleted(t *catalog.Table) expr.Expr {
	at := celltime.DeletedAt(t)
	if at < 0 {
		return nil
	}
	return expr.IsNull{Arg: expr.Column{Index: at, Name: t.Columns[at].Name, T: t.Columns[at].Type}}
}

// Expired is the condition for rows of a table with a lifetime to have expired.
func Expired(t *catalog.Table) expr.Expr {
	return expr.Compare{Op: expr.LE, Left: ttlColumn(t), Right: Cutoff(t)}
}

func ttlColumn(t *catalog.Table) expr.Column {
	at := t.Ordinal(t.TTL.Column)
	return expr.Column{Index: at, Name: t.Columns[at].Name, T: t.Columns[at].Type}
}

// Cutoff is the last value with which a row of a table with a lifetime has expired. The time zone
// of the session makes no difference: rows expire for all sessions at once.
func Cutoff(t *catalog.Table) expr.Expr {
	life := expr.Const{Value: types.NewInterval(interval.Interval{Micros: t.TTL.Life}), T: types.Interval}
	var cutoff expr.Expr = expr.Call{Fn: minusInterval, T: types.Timestamptz,
		Args: []expr.Expr{expr.Call{Fn: statementTime, T: types.Timestamptz}, life}}
	of := ttlColumn(t).T
	if of.OID == types.OIDTimestamptz {
		return cutoff
	}
	utc := expr.Const{Value: types.NewText("UTC"), T: types.Text}
	cutoff = expr.Call{Fn: inZone, T: types.Timestamp, Args: []expr.Expr{utc, cutoff}}
	if of.OID == types.OIDDate {
		cast, _ := types.FindCast(types.OIDTimestamp, types.OIDDate)
		cutoff = expr.Cast{Arg: cutoff, To: types.Date, Fn: cast.Fn}
	}
	return cutoff
}

// The functions that Cutoff calls.
var (
	statementTime = builtin.Functions("statement_timestamp")[0]
	minusInterval = over(builtin.Operators("-", 2), types.OIDTimestamptz, types.OIDInterval)
	inZone        = over(builtin.Functions("timezone"), types.OIDText, types.OIDTimestamptz)
)

// over is the one of some functions that takes two types.
func over(all []*expr.Function, a, b types.OID) *expr.Function {
	for _, f := range all {
		if len(f.Args) == 2 && f.Args[0] == a && f.Args[1] == b {
			return f
		}
	}
	return nil
}
