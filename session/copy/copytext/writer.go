package copytext

import "bytes"

// Writer writes rows: the fields of a row one after the other, then EndRow.
type Writer struct {
	format  Format
	columns []string
	quote   []bool    // by column: in quotes whatever it is
	special [256]bool // the bytes that cannot be written as they are
	at      int       // the column that comes next
}

// NewWriter makes a writer of rows that have a field for each column. CheckColumns has seen
// them.
func NewWriter(f Format, columns []string) *Writer {
	w := &Writer{format: f, columns: columns, quote: among(columns, f.ForceQuote)}
	for i := range w.quote {
		w.quote[i] = w.quote[i] || f.QuoteAll
	}
	mark(&w.special, f.Delimiter, '\n', '\r')
	if f.CSV {
		mark(&w.special, f.Quote)
	} else {
		mark(&w.special, '\\', '\b', '\f', '\t', '\v')
	}
	return w
}

// AppendHeader appends the line of names, if the format has one.
func (w *Writer) AppendHeader(dst []byte) []byte {
	if !w.format.Header {
		return dst
	}
	quote := w.quote
	w.quote = make([]bool, len(quote)) // which is for values
	for _, name := range w.columns {
		dst = w.AppendField(dst, []byte(name))
	}
	w.quote = quote
	return w.EndRow(dst)
}

// AppendNull appends a NULL.
func (w *Writer) AppendNull(dst []byte) []byte { return append(w.delimit(dst), w.format.Null...) }

// AppendField appends a field that is not NULL.
func (w *Writer) AppendField(dst, text []byte) []byte {
	column := w.at
	dst = w.delimit(dst)
	plain := true
	for _, c := range text {
		if w.special[c] {
			plain = false
			break
		}
	}
	switch {
	case !w.format.CSV && plain:
		return append(dst, text...)
	case !w.format.CSV:
		return w.appendEscaped(dst, text)
	case plain && !w.quote[column] && !w.mistakable(text):
		return append(dst, text...)
	}
	return w.appendQuoted(dst, text)
}

// EndRow ends a row.
func (w *Writer) EndRow(dst []byte) []byte {
	w.at = 0
	return append(dst, '\n')
}

func (w *Writer) delimit(dst []byte) []byte {
	if w.at++; w.at > 1 {
		dst = append(dst, w.format.Delimiter)
	}
	return dst
}

// mistakable says whether a field would be read as something else if it had no quotes: as
// NULL, or as the end of the data.
func (w *Writer) mistakable(text []byte) bool {
	return string(text) == w.format.Null || len(w.columns) == 1 && bytes.Equal(text, []byte(`\.`))
}

func (w *Writer) appendEscaped(dst, text []byte) []byte {
	for _, c := range text {
		if w.special[c] {
			dst = append(dst, '\\')
			if i := bytes.IndexByte([]byte("\b\f\n\r\t\v"), c); i >= 0 {
				c = "bfnrtv"[i]
			}
		}
		dst = append(dst, c)
	}
	return dst
}

func (w *Writer) appendQuoted(dst, text []byte) []byte {
	dst = append(dst, w.format.Quote)
	for _, c := range text {
		if c == w.format.Quote || c == w.format.Escape {
			dst = append(dst, w.format.Escape)
		}
		dst = append(dst, c)
	}
	return append(dst, w.format.Quote)
}
