package wire

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/planner/plan"
	"zproxy/session"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/charset"
	"zproxy/types/recode"
)

// maxBody is the longest message that PostgreSQL's clients read.
const maxBody = 1<<30 - 1

// rowHead is what a DataRow begins with: its type, its length, the number of values.
const rowHead = 7

// longRow is the size from which what ends a statement may have ended the text of a row.
const longRow = 1 << 10

// answers is a client to its session: what statements answer goes out as messages, and the data of a COPY comes in.
type answers struct {
	session   *session.Session
	in        *frames
	out       *output
	readError func(error) error // why no message came
	complete  pgproto3.CommandComplete
}

// Columns announces the rows of a statement of a simple query.
func (a *answers) Columns(p *session.Portal) error {
	if err := a.out.sendColumns(p.Columns, p.Formats, a.session.Charset()); err != nil {
		return err
	}
	return a.out.err
}

// sendColumns adds the description of rows.
func (o *output) sendColumns(columns []plan.Column, formats []int16, set *charset.Charset) error {
	if set != nil {
		columns = slices.Clone(columns)
		for i := range columns {
			if err := outgoing(set, &columns[i].Name); err != nil {
				return err
			}
		}
	}
	if o.err == nil {
		o.buf = appendRowDescription(o.buf, columns, formats)
	}
	return nil
}

// Rows sends rows in the formats of the portal. No row and no value allocates.
func (a *answers) Rows(p *session.Portal, rows *types.Batch) error {
	env, set := a.session.Env(), a.session.Charset()
	for i := range rows.Len() {
		if a.out.err != nil {
			return a.out.err
		}
		start := len(a.out.buf)
		a.out.buf = appendDataRow(a.out.buf, rows.LentRow(i), p, env)
		if set != nil {
			var err error
			if a.out.buf, err = encodeDataRow(a.out.buf, start, p, set); err != nil {
				return err
			}
		}
		if len(a.out.buf)-start > longRow {
			if err := env.Ended(); err != nil { // which cuts texts short
				a.out.buf = a.out.buf[:start]
				return err
			}
		}
		if len(a.out.buf)-start > maxBody {
			a.out.buf = a.out.buf[:start]
			return sqlerr.New(sqlerr.ProgramLimitExceeded, "row is longer than %d bytes", maxBody)
		}
		if err := a.out.flushFull(); err != nil {
			return err
		}
	}
	return nil
}

// Done ends a statement.
func (a *answers) Done(o session.Outcome) error {
	switch {
	case o.Suspended:
		a.out.send(&pgproto3.PortalSuspended{})
	case o.Empty:
		a.out.send(&pgproto3.EmptyQueryResponse{})
	default:
		m := &a.complete
		m.CommandTag = o.AppendTag(m.CommandTag[:0])
		a.out.send(m)
	}
	return a.out.flushFull()
}

// Notice sends a message that does not end the statement.
func (a *answers) Notice(n *sqlerr.Error) error {
	a.out.send((*pgproto3.NoticeResponse)(reported(a.session.Charset(), n, "NOTICE")))
	return a.out.flushFull()
}

// appendRowDescription appends a RowDescription message.
func appendRowDescription(dst []byte, columns []plan.Column, formats []int16) []byte {
	dst, start := begin(dst, 'T')
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(columns)))
	for i := range columns {
		column := &columns[i]
		dst = append(append(dst, column.Name...), 0)
		dst = binary.BigEndian.AppendUint32(dst, column.Table)
		dst = binary.BigEndian.AppendUint16(dst, uint16(column.Attribute))
		dst = binary.BigEndian.AppendUint32(dst, uint32(column.Type.Sent()))
		dst = binary.BigEndian.AppendUint16(dst, uint16(types.InfoOf(column.Type.OID).Size))
		dst = binary.BigEndian.AppendUint32(dst, uint32(column.Type.Mod))
		dst = binary.BigEndian.AppendUint16(dst, uint16(formatOf(formats, i)))
	}
	return end(dst, start)
}

// appendDataRow appends a DataRow message.
func appendDataRow(dst []byte, row types.Row, p *session.Portal, env *types.Env) []byte {
	dst, start := begin(dst, 'D')
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(row)))
	for i, v := range row {
		if v.IsNull() {
			dst = binary.BigEndian.AppendUint32(dst, math.MaxUint32)
			continue
		}
		at := len(dst)
		dst = append(dst, 0, 0, 0, 0)
		if p.Formats[i] == pgproto3.BinaryFormat {
			dst = types.AppendBinary(dst, v, p.Columns[i].Type)
		} else {
			dst = types.AppendText(dst, v, p.Columns[i].Type, env)
		}
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return end(dst, start)
}

// encodeDataRow converts the values of the DataRow message at the end of dst, which begins at start. After an error it
// is not there.
func encodeDataRow(dst []byte, start int, p *session.Portal, set *charset.Charset) ([]byte, error) {
	row := slices.Clone(dst[start:])
	values := row[rowHead:]
	out, at := begin(dst[:start], 'D')
	out = append(out, row[rowHead-2:rowHead]...)
	for i := range p.Columns {
		size := binary.BigEndian.Uint32(values)
		if values = values[4:]; size == math.MaxUint32 {
			out = binary.BigEndian.AppendUint32(out, size)
			continue
		}
		from := len(out)
		out = append(out, 0, 0, 0, 0)
		var err error
		if p.Formats[i] == pgproto3.BinaryFormat {
			out, err = recode.Binary(out, values[:size], p.Columns[i].Type, set.AppendFrom)
		} else {
			out, err = set.AppendFrom(out, values[:size])
		}
		if err != nil {
			return dst[:start], err
		}
		binary.BigEndian.PutUint32(out[from:], uint32(len(out)-from-4))
		values = values[size:]
	}
	return end(out, at), nil
}

// begin appends the type of a message and room for its length, which end fills in.
func begin(dst []byte, kind byte) ([]byte, int) {
	return append(dst, kind, 0, 0, 0, 0), len(dst) + 1
}

func end(dst []byte, start int) []byte {
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst
}
