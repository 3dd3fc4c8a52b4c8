package copytext

import (
	"slices"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types/charset"
)

// Option is an option of a COPY statement: its name in lower case, and its value as it
// is written, empty if there is none, or the list of columns that is its value.
type Option struct {
	Name, Value string
	List        []string
	Pos         int // byte offset in the statement, for errors
}

// ParseOptions makes a format of the options of a COPY TO or of a COPY FROM.
func ParseOptions(options []Option, to bool) (Format, error) {
	set := settings{}
	for _, o := range options {
		if _, ok := set[o.Name]; ok {
			return Format{}, sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options").At(o.Pos)
		}
		if err := checkOption(o, to); err != nil {
			return Format{}, err
		}
		set[o.Name] = o
	}
	return set.format(to)
}

// checkOption finds what is wrong with an option whatever the others are.
func checkOption(o Option, to bool) error {
	switch o.Name {
	case "format":
		return checkFormatName(o)
	case "freeze":
		if _, ok := Boolean(o.Value); !ok {
			return sqlerr.New(sqlerr.SyntaxError, "freeze requires a Boolean value")
		}
	case "header":
		if _, ok := Boolean(o.Value); !ok && !matching(o.Value) {
			return sqlerr.New(sqlerr.SyntaxError, `header requires a Boolean value or "match"`)
		}
		if to && matching(o.Value) {
			return sqlerr.New(sqlerr.FeatureNotSupported, `cannot use "match" with HEADER in COPY TO`)
		}
	case "encoding":
		if set := charset.Find(o.Value); set == nil || o.List != nil {
			return sqlerr.New(sqlerr.InvalidParameterValue, `argument to option "%s" must be a valid encoding name`,
				o.Name).At(o.Pos)
		} else if !set.Converts() {
			return sqlerr.New(sqlerr.UndefinedFunction,
				"default conversion function for encoding \"UTF8\" to \"%s\" does not exist", set.Name)
		}
	case "force_quote", "force_null", "force_not_null":
		if all := o.Name == "force_quote" && o.Value == "*"; o.List == nil && !all {
			return sqlerr.New(sqlerr.InvalidParameterValue, `argument to option "%s" must be a list of column names`,
				o.Name).At(o.Pos)
		}
	case "delimiter", "null", "quote", "escape":
	default:
		return sqlerr.New(sqlerr.SyntaxError, `option "%s" not recognized`, o.Name).At(o.Pos)
	}
	return nil
}

func checkFormatName(o Option) error {
	switch o.Value {
	case "text", "csv", "binary":
		return nil
	}
	return sqlerr.New(sqlerr.InvalidParameterValue, `COPY format "%s" not recognized`, o.Value).At(o.Pos)
}

// Boolean reads a truth value in the spellings that options have; none at all is true.
func Boolean(value string) (b, ok bool) {
	switch strings.ToLower(value) {
	case "", "true", "on", "1":
		return true, true
	case "false", "off", "0":
		return false, true
	}
	return false, false
}

func matching(header string) bool { return strings.EqualFold(header, "match") }

// settings are options by name.
type settings map[string]Option

func (s settings) or(name, otherwise string) string {
	if o, ok := s[name]; ok {
		return o.Value
	}
	return otherwise
}

func (s settings) has(name string) bool {
	_, ok := s[name]
	return ok
}

func (s settings) format(to bool) (Format, error) {
	f := TextFormat()
	if s["format"].Value == "csv" {
		f = CSVFormat()
	}
	f.Binary = s["format"].Value == "binary"
	f.Encoding = charset.Find(s["encoding"].Value)
	if freeze, ok := s["freeze"]; ok {
		f.Freeze, _ = Boolean(freeze.Value)
	}
	if header, ok := s["header"]; ok {
		on, _ := Boolean(header.Value)
		f.HeaderMatch = matching(header.Value)
		f.Header = on || f.HeaderMatch
	}
	for _, name := range []string{"delimiter", "null"} {
		if f.Binary && s.has(name) {
			return f, sqlerr.New(sqlerr.SyntaxError, "cannot specify %s in BINARY mode", strings.ToUpper(name))
		}
	}
	delimiter := s.or("delimiter", string(f.Delimiter))
	f.Null = s.or("null", f.Null)
	if err := f.checkMarks(delimiter); err != nil {
		return f, err
	}
	f.Delimiter = delimiter[0]
	if f.Binary && f.Header {
		return f, sqlerr.New(sqlerr.FeatureNotSupported, "cannot specify HEADER in BINARY mode")
	}
	if f.CSV {
		quote := s.or("quote", string(f.Quote))
		escape := s.or("escape", quote)
		if err := checkQuotes(delimiter, quote, escape); err != nil {
			return f, err
		}
		f.Quote, f.Escape = quote[0], escape[0]
	}
	f.ForceNull, f.ForceNotNull = s["force_null"].List, s["force_not_null"].List
	f.ForceQuote, f.QuoteAll = s["force_quote"].List, s["force_quote"].Value == "*"
	return f, s.checkTogether(f, to)
}

// checkMarks finds what is wrong with a delimiter, and with the mark of a NULL.
func (f Format) checkMarks(delimiter string) error {
	switch {
	case len(delimiter) != 1:
		return sqlerr.New(sqlerr.FeatureNotSupported, "COPY delimiter must be a single one-byte character")
	case strings.ContainsAny(delimiter, "\r\n"):
		return sqlerr.New(sqlerr.InvalidParameterValue, "COPY delimiter cannot be newline or carriage return")
	case strings.ContainsAny(f.Null, "\r\n"):
		return sqlerr.New(sqlerr.InvalidParameterValue,
			"COPY null representation cannot use newline or carriage return")
	case !f.CSV && strings.Contains(`\.abcdefghijklmnopqrstuvwxyz0123456789`, delimiter):
		return sqlerr.New(sqlerr.InvalidParameterValue, `COPY delimiter cannot be "%s"`, delimiter)
	}
	return nil
}

func checkQuotes(delimiter, quote, escape string) error {
	switch {
	case len(quote) != 1:
		return sqlerr.New(sqlerr.FeatureNotSupported, "COPY quote must be a single one-byte character")
	case delimiter == quote:
		return sqlerr.New(sqlerr.InvalidParameterValue, "COPY delimiter and quote must be different")
	case len(escape) != 1:
		return sqlerr.New(sqlerr.FeatureNotSupported, "COPY escape must be a single one-byte character")
	}
	return nil
}

// csvOnly are options that the text format has not, how messages call them, and the
// direction that knows them if it is but one.
var csvOnly = [...]struct{ name, called, only string }{
	{"quote", "quote", ""}, {"escape", "escape", ""}, {"force_quote", "force quote", "TO"},
	{"force_not_null", "force not null", "FROM"}, {"force_null", "force null", "FROM"},
}

// checkTogether finds options that do not go together.
func (s settings) checkTogether(f Format, to bool) error {
	for _, o := range csvOnly {
		if !s.has(o.name) {
			continue
		}
		if !f.CSV {
			return sqlerr.New(sqlerr.FeatureNotSupported, "COPY %s available only in CSV mode", o.called)
		}
		if o.only != "" && (o.only == "TO") != to {
			return sqlerr.New(sqlerr.FeatureNotSupported, "COPY %s only available using COPY %s", o.called, o.only)
		}
	}
	if strings.IndexByte(f.Null, f.Delimiter) >= 0 {
		return sqlerr.New(sqlerr.FeatureNotSupported, "COPY delimiter must not appear in the NULL specification")
	}
	if f.CSV && strings.IndexByte(f.Null, f.Quote) >= 0 {
		return sqlerr.New(sqlerr.FeatureNotSupported, "CSV quote character must not appear in the NULL specification")
	}
	return nil
}

// CheckColumns finds columns that the options name and COPY does not move.
func (f Format) CheckColumns(columns []string) error {
	for _, o := range []struct {
		name string
		list []string
	}{{"FORCE_QUOTE", f.ForceQuote}, {"FORCE_NOT_NULL", f.ForceNotNull}, {"FORCE_NULL", f.ForceNull}} {
		for _, name := range o.list {
			if !slices.Contains(columns, name) {
				return sqlerr.New(sqlerr.InvalidColumnReference, `%s column "%s" not referenced by COPY`, o.name, name)
			}
		}
	}
	return nil
}

// among says which columns a list names.
func among(columns, list []string) []bool {
	out := make([]bool, len(columns))
	for i, name := range columns {
		out[i] = slices.Contains(list, name)
	}
	return out
}
