package session

import (
	"context"
	"strconv"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/plpgsql/interpret"
	"zproxy/sqlerr"
	"zproxy/types"
)

// calledBy is the call in the plan of CALL.
func calledBy(st *Statement) expr.Expr { return st.plan.(plan.Project).Exprs[0] }

// outputsOf are the columns of the row that CALL gives: what the procedure gives out; nil: nothing.
func outputsOf(st *Statement) (out []plan.Column) {
	row := calledBy(st).Type().Def
	if row == nil {
		return nil
	}
	for i, name := range row.Names {
		out = append(out, plan.Column{Name: name, Type: row.Types[i]})
	}
	return out
}

// call runs CALL.
func (s utilities) call(ctx context.Context, p *Portal, c Client) error {
	st := p.statement
	s.retries.forget()
	v, err := calledBy(st).Eval(s.reach.context(ctx, p.params), nil)
	if err != nil || st.Columns == nil {
		return err
	}
	row := make(types.Row, len(st.Columns))
	if !v.IsNull() {
		copy(row, v.Record().Values)
	}
	out := types.NewBatch(len(row))
	out.Append(row)
	return c.Rows(p, out)
}

// outputs are the variables that take what a procedure gives out, by the call that a function makes.
func (e *plEngine) outputs(p *plStatement) (out []plBinding, err error) {
	project := p.st.plan.(plan.Project)
	for i, x := range project.Exprs[1:] {
		param, ok := x.(expr.Param)
		if !ok {
			name := strconv.Itoa(i + 1)
			if i < len(p.st.Columns) && p.st.Columns[i].Name != "" {
				name = strconv.Quote(p.st.Columns[i].Name)
			}
			return nil, sqlerr.New(sqlerr.SyntaxError,
				"procedure parameter %s is an output parameter but corresponding argument is not writable", name)
		}
		out = append(out, p.bindings[param.Number])
	}
	return out, nil
}

// call runs CALL in a function, whose variables take what the procedure gives out.
func (e *plEngine) call(p *plStatement, f *interpret.Frame, text routineText) error {
	into, err := e.outputs(p)
	if err != nil {
		return err
	}
	_, err = e.statement(p.st, p.values(f), text, func(row interpret.Row) (bool, error) {
		for i, to := range into {
			if err := e.put(f, to, interpret.Value{V: row.Values[i], T: row.Types[i]}); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	return err
}

// put gives a variable, or a field of one, a value.
func (e *plEngine) put(f *interpret.Frame, to plBinding, v interpret.Value) error {
	out, err := e.Convert(v, to.t)
	if err != nil || to.field < 0 {
		f.Values[to.slot] = out
		return err
	}
	row := f.Types[to.slot].Def
	record := &types.RecordValue{Names: row.Names, Types: row.Types, Values: make([]types.Value, len(row.Names))}
	if !f.Values[to.slot].IsNull() {
		copy(record.Values, f.Values[to.slot].Record().Values)
	}
	record.Values[to.field] = out
	f.Values[to.slot] = types.NewRecord(record)
	return nil
}
