package catalog

// An inverted index has an entry for each element of the values of its columns: of an array, of a document, for each
// trigram of a text. Its key is a hidden column of the table with an element, of which rows store nothing. So the key
// of a layout over elements is as any other, but a row has several entries; Layout.Key has the columns whose values the
// elements are of, and Classes finds them.

// Element is the ID of that column. The column is the same for all inverted indexes of a table.
const Element = FirstExpression - 1

// Inverted says whether indexes of the method have entries for the elements of values.
func (m Method) Inverted() bool { return m == GIN || m == GiST }

// Unstored says whether rows do not store the column: it has elements, or the values of an expression.
func (c *Column) Unstored() bool { return c.ID >= Element }

// entryColumns are the columns of which entries of the index hold the values, but for those of the key of the table: of
// an inverted index the element, and not the value that it is of.
func (x *Index) entryColumns() []uint32 {
	if x.Method.Inverted() {
		return appendColumns(nil, x.Layout.Parts())
	}
	return x.Layout.Sources()
}
