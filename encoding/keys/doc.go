// Package keys turns tuples into ordered bytes and spans into ranges of bytes, by the
// layout of a table or an index.
//
// A key is the partition parts and then the sort parts and tie-breakers, each value
// encoded on its own:
//
//	orders, PRIMARY KEY (city, id DESC), row ('Oslo', 17)
//
//	partition  30 4f 73 6c 6f 00 01    text, 'Oslo', end
//	sort       ee ee                   17 in one byte, 11 11, every bit inverted
//
// What must stay true: encodings compare as unsigned bytes as the values do (NULL last,
// or first when descending); no encoding of a value is a prefix of another, so no value
// can make a key leave its partition or its space; a Z-address has a fixed length.
//
// How a value becomes bytes is package ordered's matter, and the bits of a Z-address package zorder's; which keys a
// statement wants is decided by the optimizer. Read Codec first.
package keys
