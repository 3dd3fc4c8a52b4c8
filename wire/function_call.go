package wire

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/session"
	"zproxy/types"
)

// callName is the name of the statement and the portal of a function call: none that a message can say.
const callName = "\x00call"

// functionCall runs a function, as one statement.
func (c *conn) functionCall(ctx context.Context, body []byte) error {
	m := &pgproto3.FunctionCall{}
	if err := m.Decode(body); err != nil {
		return c.refuse(ctx, malformed(err))
	}
	result := &callResult{answers: &c.answers}
	if err := c.survive(func() error { return c.call(ctx, m, result) }); err != nil {
		return c.refuse(ctx, err)
	}
	c.out.send(&pgproto3.FunctionCallResponse{Result: result.value})
	return c.sync(ctx)
}

// call runs the statement that a function call stands for.
func (c *conn) call(ctx context.Context, m *pgproto3.FunctionCall, result *callResult) error {
	s := c.session
	text, args, err := session.TextOfCall(s, m.Function)
	switch {
	case err != nil:
		return err
	case len(m.Arguments) != args:
		return violation("function call message contains %d arguments but function requires %d", len(m.Arguments), args)
	case len(m.ArgFormatCodes) > 1 && len(m.ArgFormatCodes) != args:
		return violation("function call message contains %d argument formats but %d arguments", len(m.ArgFormatCodes),
			args)
	}
	if err := s.Prepare(ctx, callName, text, nil); err != nil {
		return err
	}
	defer s.CloseStatement(callName)
	st, err := s.Statement(callName)
	if err != nil {
		return err
	}
	bind := &pgproto3.Bind{Parameters: m.Arguments, DestinationPortal: callName}
	for _, format := range m.ArgFormatCodes {
		bind.ParameterFormatCodes = append(bind.ParameterFormatCodes, int16(format))
	}
	params, err := readParams(bind, st.Params, s.Env(), s.Charset())
	if err == nil {
		err = checkFormat(int16(m.ResultFormatCode))
	}
	if err != nil {
		return err
	}
	binding := session.Binding{Statement: st, Params: params, Formats: []int16{int16(m.ResultFormatCode)}}
	if err := s.Bind(ctx, callName, binding); err != nil {
		return err
	}
	defer s.ClosePortal(callName)
	p, err := s.Portal(callName)
	if err != nil {
		return err
	}
	return s.Execute(ctx, p, session.Ask{}, result)
}

// callResult keeps the value that a function gives, and sends no row.
type callResult struct {
	*answers
	value []byte // nil: NULL
}

// Rows implements session.Client.
func (r *callResult) Rows(p *session.Portal, rows *types.Batch) error {
	for i := range rows.Len() {
		row := appendDataRow(nil, rows.Row(i), p, r.session.Env())
		if set := r.session.Charset(); set != nil {
			var err error
			if row, err = encodeDataRow(row, 0, p, set); err != nil {
				return err
			}
		}
		if size := binary.BigEndian.Uint32(row[rowHead:]); size != math.MaxUint32 {
			r.value = row[rowHead+4:]
		}
	}
	return nil
}

// Done implements session.Client.
func (r *callResult) Done(session.Outcome) error { return nil }
