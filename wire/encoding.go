package wire

import (
	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/session"
	"zproxy/sqlerr"
	"zproxy/types/charset"
	"zproxy/types/form"
)

// charsetOf is the encoding of a client's texts; nil: they are in UTF-8, or there is no session yet.
func charsetOf(s *session.Session) *charset.Charset {
	if s == nil {
		return nil
	}
	return s.Charset()
}

// incoming is a text of the client in UTF-8.
func incoming(text string, set *charset.Charset) (string, error) {
	if set == nil {
		return text, form.CheckUTF8(text)
	}
	p, err := set.AppendUTF8(nil, []byte(text))
	return string(p), err
}

// names converts the names in a message.
func (x *pipeline) names(list ...*string) error {
	set := charsetOf(x.session)
	if set == nil {
		return nil
	}
	for _, name := range list {
		var err error
		if *name, err = incoming(*name, set); err != nil {
			return err
		}
	}
	return nil
}

// outgoing converts texts of a message to the client. After an error they are as they were.
func outgoing(set *charset.Charset, list ...*string) error {
	if set == nil {
		return nil
	}
	converted := make([]string, len(list))
	for i, text := range list {
		p, err := set.AppendFrom(nil, []byte(*text))
		if err != nil {
			return err
		}
		converted[i] = string(p)
	}
	for i, text := range list {
		*text = converted[i]
	}
	return nil
}

// reported is an error or a notice in the client's encoding. If that has not all of its characters, it is the error
// that says so.
func reported(set *charset.Charset, e *sqlerr.Error, severity string) *pgproto3.ErrorResponse {
	m := errorResponse(e, severity)
	err := outgoing(set, &m.Message, &m.Detail, &m.Hint, &m.Where, &m.SchemaName, &m.TableName, &m.ColumnName,
		&m.DataTypeName, &m.ConstraintName)
	if err != nil {
		return errorResponse(sqlerr.From(err), severity)
	}
	return m
}
