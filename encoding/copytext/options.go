package copytext

import (
	"slices"
	"strings"

	"zproxy/sqlerr"
)

// Option is an option of a COPY statement: its name in lower case, and its value as it
// is written, empty if there is none. A list of columns has a comma and a space between.
type Option struct {
	Name, Value string
	Pos         int // byte offset in the statement, for errors
}

// ParseOptions makes a format of the options of a COPY FROM.
func ParseOptions(options []Option) (Format, error) {
	set := settings{}
	for _, o := range options {
		if _, ok := set[o.Name]; ok {
			return Format{}, sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options").At(o.Pos)
		}
		if err := checkOption(o); err != nil {
			return Format{}, err
		}
		set[o.Name] = o.Value
	}
	return set.format()
}

// checkOption finds what is wrong with an option whatever the others are.
func checkOption(o Option) error {
	switch o.Name {
	case "format":
		return checkFormatName(o)
	case "freeze":
		if _, ok := boolean(o.Value); !ok {
			return sqlerr.New(sqlerr.SyntaxError, "freeze requires a Boolean value")
		}
	case "header":
		if _, ok := boolean(o.Value); !ok && !matching(o.Value) {
			return sqlerr.New(sqlerr.SyntaxError, `header requires a Boolean value or "match"`)
		}
	case "encoding":
		if !isUTF8(o.Value) {
			return sqlerr.Unsupported(`COPY with encoding "%s"`, o.Value)
		}
	case "delimiter", "null", "quote", "escape", "force_quote", "force_null", "force_not_null":
	default:
		return sqlerr.New(sqlerr.SyntaxError, `option "%s" not recognized`, o.Name).At(o.Pos)
	}
	return nil
}

func checkFormatName(o Option) error {
	switch o.Value {
	case "text", "csv":
		return nil
	case "binary":
		return sqlerr.Unsupported("COPY in binary format")
	}
	return sqlerr.New(sqlerr.InvalidParameterValue, `COPY format "%s" not recognized`, o.Value).At(o.Pos)
}

// boolean reads a truth value in the spellings that options have; none at all is true.
func boolean(value string) (b, ok bool) {
	switch strings.ToLower(value) {
	case "", "true", "on", "1":
		return true, true
	case "false", "off", "0":
		return false, true
	}
	return false, false
}

// isUTF8 knows the encoding by its names, in which case and punctuation do not count.
func isUTF8(encoding string) bool {
	name := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(encoding))
	return name == "utf8" || name == "unicode"
}

func matching(header string) bool { return strings.EqualFold(header, "match") }

// settings are the values of options by name.
type settings map[string]string

func (s settings) or(name, otherwise string) string {
	if v, ok := s[name]; ok {
		return v
	}
	return otherwise
}

func (s settings) columns(name string) []string {
	if v, ok := s[name]; ok {
		return strings.Split(v, ", ")
	}
	return nil
}

func (s settings) format() (Format, error) {
	f := TextFormat()
	if s["format"] == "csv" {
		f = CSVFormat()
	}
	if header, ok := s["header"]; ok {
		on, _ := boolean(header)
		f.HeaderMatch = matching(header)
		f.Header = on || f.HeaderMatch
	}
	delimiter := s.or("delimiter", string(f.Delimiter))
	f.Null = s.or("null", f.Null)
	if err := f.checkMarks(delimiter); err != nil {
		return f, err
	}
	f.Delimiter = delimiter[0]
	if f.CSV {
		quote := s.or("quote", string(f.Quote))
		escape := s.or("escape", quote)
		if err := checkQuotes(delimiter, quote, escape); err != nil {
			return f, err
		}
		f.Quote, f.Escape = quote[0], escape[0]
	}
	f.ForceNull, f.ForceNotNull = s.columns("force_null"), s.columns("force_not_null")
	return f, s.checkTogether(f)
}

// checkMarks finds what is wrong with a delimiter, and with the mark of a NULL.
func (f Format) checkMarks(delimiter string) error {
	switch {
	case len(delimiter) != 1:
		return sqlerr.New(sqlerr.FeatureNotSupported, "COPY delimiter must be a single one-byte character")
	case strings.ContainsAny(delimiter, "\r\n"):
		return sqlerr.New(sqlerr.InvalidParameterValue, "COPY delimiter cannot be newline or carriage return")
	case strings.ContainsAny(f.Null, "\r\n"):
		return sqlerr.New(sqlerr.InvalidParameterValue, "COPY null representation cannot use newline or carriage return")
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

// csvOnly are options that the text format has not, and how messages call them.
var csvOnly = [...]struct{ name, called string }{
	{"quote", "quote"}, {"escape", "escape"}, {"force_quote", "force quote"},
	{"force_not_null", "force not null"}, {"force_null", "force null"},
}

// checkTogether finds options that do not go together.
func (s settings) checkTogether(f Format) error {
	for _, o := range csvOnly {
		if _, ok := s[o.name]; ok && !f.CSV {
			return sqlerr.New(sqlerr.FeatureNotSupported, "COPY %s available only in CSV mode", o.called)
		}
	}
	if _, ok := s["force_quote"]; ok {
		return sqlerr.New(sqlerr.FeatureNotSupported, "COPY force quote only available using COPY TO")
	}
	if strings.IndexByte(f.Null, f.Delimiter) >= 0 {
		return sqlerr.New(sqlerr.FeatureNotSupported, "COPY delimiter must not appear in the NULL specification")
	}
	if f.CSV && strings.IndexByte(f.Null, f.Quote) >= 0 {
		return sqlerr.New(sqlerr.FeatureNotSupported, "CSV quote character must not appear in the NULL specification")
	}
	return nil
}

// among says which columns a list names.
func among(columns, list []string, option string) ([]bool, error) {
	out := make([]bool, len(columns))
	for _, name := range list {
		i := slices.Index(columns, name)
		if i < 0 {
			return nil, sqlerr.New(sqlerr.InvalidColumnReference, `%s column "%s" not referenced by COPY`, option, name)
		}
		out[i] = true
	}
	return out, nil
}
