// Package copytext is the text and csv formats of COPY: a stream of bytes to rows of
// fields, and back. What the fields mean is for the types to say. Read Format first, then Reader and Writer.
package copytext

import "zproxy/types/charset"

// Format is how the data of a COPY is written.
type Format struct {
	Binary      bool             // which is copybinary's to read and write
	Encoding    *charset.Charset // of the data; nil: the client's
	CSV         bool
	Freeze      bool // the table is the transaction's own
	Delimiter   byte
	Null        string // a field written like this, without quotes, is NULL
	Quote       byte   // in csv only, as is Escape
	Escape      byte
	Header      bool // the first line is names
	HeaderMatch bool // and they must be the names of the columns
	// The columns ForceQuote, or all, are written in quotes unless they are NULL.
	ForceQuote []string
	QuoteAll   bool
	// In the columns ForceNull a quoted Null is NULL too; in the columns ForceNotNull
	// nothing is. Both in csv only.
	ForceNull, ForceNotNull []string
}

// TextFormat is the text format as it is without options.
func TextFormat() Format { return Format{Delimiter: '\t', Null: `\N`} }

// CSVFormat is the csv format as it is without options.
func CSVFormat() Format { return Format{CSV: true, Delimiter: ',', Quote: '"', Escape: '"'} }

// Field is what a row has in one column. The text of a NULL is empty.
type Field struct {
	Text string
	Null bool
}
