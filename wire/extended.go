package wire

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/planner/plan"
	"zproxy/session"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/charset"
	"zproxy/types/form"
	"zproxy/types/recode"
)

// pipeline takes the messages of the extended protocol to the session.
type pipeline struct {
	session  *session.Session
	in       *frames
	out      *output
	answers  *answers
	messages messages
}

// messages are decoded and encoded in place, so that an ordinary statement does not
// allocate for them.
type messages struct {
	parse    pgproto3.Parse
	bind     pgproto3.Bind
	describe pgproto3.Describe
	execute  pgproto3.Execute
	close    pgproto3.Close
	params   pgproto3.ParameterDescription
}

// extended answers one message of the extended protocol. When it fails, everything up
// to Sync is skipped, and the client that waits for a Flush in there gets its error now.
func (c *conn) extended(ctx context.Context, kind byte, body []byte) error {
	if err := c.survive(func() error { return c.pipeline.step(ctx, kind, body) }); err != nil {
		return c.fails(err)
	}
	return c.out.flushFull()
}

// fails tells of an error and skips the messages up to Sync.
func (c *conn) fails(err error) error {
	c.session.Fail(err)
	if err := c.report(err); err != nil {
		return err
	}
	c.skipping = true
	return c.out.flush()
}

func (x *pipeline) step(ctx context.Context, kind byte, body []byte) error {
	switch kind {
	case msgParse:
		return x.parse(ctx, body)
	case msgBind:
		return x.bind(ctx, body)
	case msgDescribe:
		return x.describe(body)
	case msgExecute:
		return x.execute(ctx, body)
	default:
		return x.closeObject(body)
	}
}

func (x *pipeline) parse(ctx context.Context, body []byte) error {
	m := &x.messages.parse
	if err := m.Decode(body); err != nil {
		return malformed(err)
	}
	query, err := incoming(m.Query, x.session.Charset())
	if err == nil {
		err = x.names(&m.Name)
	}
	if err != nil {
		return err
	}
	var params []types.OID
	for _, oid := range m.ParameterOIDs {
		params = append(params, types.OID(oid))
	}
	if err := x.session.Prepare(ctx, m.Name, query, params); err != nil {
		return err
	}
	x.out.send(&pgproto3.ParseComplete{})
	return nil
}

func (x *pipeline) bind(ctx context.Context, body []byte) error {
	m := &x.messages.bind
	if err := m.Decode(body); err != nil {
		return malformed(err)
	}
	if err := x.names(&m.PreparedStatement, &m.DestinationPortal); err != nil {
		return err
	}
	st, err := x.session.Statement(m.PreparedStatement)
	if err != nil {
		return err
	}
	if err := checkBind(m, st); err != nil {
		return err
	}
	params, err := readParams(m, st.Params, x.session.Env(), x.session.Charset())
	if err != nil {
		return err
	}
	binding := session.Binding{
		Statement: st, Params: params, Formats: m.ResultFormatCodes,
		Located: func(err error, param int) error { return inParameter(err, m, param) },
	}
	if err := x.session.Bind(ctx, m.DestinationPortal, binding); err != nil {
		return err
	}
	x.out.send(&pgproto3.BindComplete{})
	return nil
}

// checkBind compares the counts in a Bind message with its statement.
func checkBind(m *pgproto3.Bind, st *session.Statement) error {
	params, formats, results := len(m.Parameters), len(m.ParameterFormatCodes), len(m.ResultFormatCodes)
	switch {
	case formats > 1 && formats != params:
		return violation("bind message has %d parameter formats but %d parameters", formats, params)
	case params != len(st.Params):
		return violation("bind message supplies %d parameters, but prepared statement \"%s\" requires %d",
			params, m.PreparedStatement, len(st.Params))
	case results > 1 && st.Columns != nil && results != len(st.Columns):
		return violation("bind message has %d result formats but query has %d columns", results, len(st.Columns))
	}
	for _, format := range m.ResultFormatCodes {
		if err := checkFormat(format); err != nil {
			return err
		}
	}
	return nil
}

func checkFormat(format int16) error {
	if format != pgproto3.TextFormat && format != pgproto3.BinaryFormat {
		return sqlerr.New(sqlerr.InvalidParameterValue, "unsupported format code: %d", format)
	}
	return nil
}

// readParams reads the parameters' values. They do not share the message's memory.
func readParams(m *pgproto3.Bind, params []types.T, env *types.Env, set *charset.Charset) ([]types.Value, error) {
	if len(params) == 0 {
		return nil, nil
	}
	values := make([]types.Value, len(params))
	for i, p := range m.Parameters {
		format := formatOf(m.ParameterFormatCodes, i)
		err := checkFormat(format)
		switch {
		case err != nil || p == nil:
		case format == pgproto3.BinaryFormat:
			values[i], err = readBinary(p, params[i], set, i+1)
		default:
			values[i], err = readText(string(p), params[i], set, env)
		}
		if err != nil {
			return nil, inParameter(err, m, i)
		}
	}
	return values, nil
}

// inParameter says which parameter of which portal an error is about, but not its value.
func inParameter(err error, m *pgproto3.Bind, i int) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Where = fmt.Sprintf("unnamed portal parameter $%d", i+1)
	if m.DestinationPortal != "" {
		c.Where = fmt.Sprintf("portal \"%s\" parameter $%d", m.DestinationPortal, i+1)
	}
	text := formatOf(m.ParameterFormatCodes, i) == pgproto3.TextFormat && m.Parameters[i] != nil
	if text && c.Code != sqlerr.CharacterNotInRepertoire { // whose value is none
		c.Where += " = '...'"
	}
	return &c
}

func readText(s string, t types.T, set *charset.Charset, env *types.Env) (types.Value, error) {
	s, err := incoming(s, set)
	if err != nil {
		return types.Null, err
	}
	return types.ParseText(s, t, env)
}

func readBinary(p []byte, t types.T, set *charset.Charset, number int) (types.Value, error) {
	if set != nil {
		var err error
		if p, err = recode.Binary(nil, p, t, set.AppendUTF8); err != nil {
			return types.Null, err
		}
	}
	v, err := types.ParseBinary(p, t)
	if errors.Is(err, form.ErrTrailing) {
		err = sqlerr.New(sqlerr.InvalidBinaryRepresentation, "incorrect binary data format in bind parameter %d",
			number)
	}
	return v, err
}

// formatOf is the i-th of some format codes: none means text, a single one is for all.
func formatOf(codes []int16, i int) int16 {
	switch len(codes) {
	case 0:
		return pgproto3.TextFormat
	case 1:
		return codes[0]
	}
	return codes[i]
}

func (x *pipeline) describe(body []byte) error {
	m := &x.messages.describe
	if err := m.Decode(body); err != nil {
		return malformed(err)
	}
	if err := x.names(&m.Name); err != nil {
		return err
	}
	switch m.ObjectType {
	case 'S':
		st, err := x.session.Statement(m.Name)
		if err != nil {
			return err
		}
		return x.describeStatement(st)
	case 'P':
		p, err := x.session.Portal(m.Name)
		if err != nil {
			return err
		}
		return x.describeColumns(p.Columns, p.Formats)
	default:
		return violation("invalid DESCRIBE message subtype %d", m.ObjectType)
	}
}

func (x *pipeline) describeStatement(st *session.Statement) error {
	if st.Columns != nil && x.session.Status() == 'E' {
		return errAborted()
	}
	oids := x.messages.params.ParameterOIDs[:0]
	for _, t := range st.Params {
		oids = append(oids, uint32(t.Number()))
	}
	x.messages.params.ParameterOIDs = oids
	x.out.send(&x.messages.params)
	if err := x.session.Revalidate(st); err != nil {
		return err
	}
	return x.describeColumns(st.Columns, nil)
}

func (x *pipeline) describeColumns(columns []plan.Column, formats []int16) error {
	if columns == nil {
		x.out.send(&pgproto3.NoData{})
		return nil
	}
	if x.session.Status() == 'E' {
		return errAborted()
	}
	return x.out.sendColumns(columns, formats, x.session.Charset())
}

func errAborted() error {
	return sqlerr.New(sqlerr.InFailedSQLTransaction,
		"current transaction is aborted, commands ignored until end of transaction block")
}

func (x *pipeline) execute(ctx context.Context, body []byte) error {
	m := &x.messages.execute
	if err := m.Decode(body); err != nil {
		return malformed(err)
	}
	if err := x.names(&m.Portal); err != nil {
		return err
	}
	p, err := x.session.Portal(m.Portal)
	if err != nil {
		return err
	}
	ask := session.Ask{MaxRows: max(0, int(int32(m.MaxRows))), Last: x.in.followedBy(msgSync)}
	return x.session.Execute(ctx, p, ask, x.answers)
}

// closeObject forgets a statement or a portal. One that does not exist is no error.
func (x *pipeline) closeObject(body []byte) error {
	m := &x.messages.close
	if err := m.Decode(body); err != nil {
		return malformed(err)
	}
	if err := x.names(&m.Name); err != nil {
		return err
	}
	switch m.ObjectType {
	case 'S':
		x.session.CloseStatement(m.Name)
	case 'P':
		x.session.ClosePortal(m.Name)
	default:
		return violation("invalid CLOSE message subtype %d", m.ObjectType)
	}
	x.out.send(&pgproto3.CloseComplete{})
	return nil
}
