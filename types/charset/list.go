package charset

import (
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

const utf8Number = 6

// all is every encoding that PostgreSQL has, by its number. Those without an alphabet are only known by their names.
var all = [...]Charset{
	{Number: 0, Name: "SQL_ASCII"},
	{Number: 1, Name: "EUC_JP", alphabet: &wide{table: japanese.EUCJP, size: eucJPSize, valid: validEUCJP, lacks: lacksEUCJP}},
	{Number: 2, Name: "EUC_CN", alphabet: &wide{table: simplifiedchinese.GBK, size: pairSize, valid: validEUC, lacks: lacksEUCCN,
		other: map[string]rune{"\xa1\xa4": '・', "\xa1\xaa": '―'}}},
	{Number: 3, Name: "EUC_KR", alphabet: &wide{table: korean.EUCKR, size: pairSize, valid: validEUC, other: korea}},
	{Number: 4, Name: "EUC_TW"},
	{Number: 5, Name: "EUC_JIS_2004"},
	{Number: utf8Number, Name: "UTF8", aliases: "unicode"},
	{Number: 7, Name: "MULE_INTERNAL"},
	{Number: 8, Name: "LATIN1", aliases: "iso88591", alphabet: iso(charmap.ISO8859_1)},
	{Number: 9, Name: "LATIN2", aliases: "iso88592", alphabet: iso(charmap.ISO8859_2)},
	{Number: 10, Name: "LATIN3", aliases: "iso88593", alphabet: iso(charmap.ISO8859_3)},
	{Number: 11, Name: "LATIN4", aliases: "iso88594", alphabet: iso(charmap.ISO8859_4)},
	{Number: 12, Name: "LATIN5", aliases: "iso88599", alphabet: iso(charmap.ISO8859_9)},
	{Number: 13, Name: "LATIN6", aliases: "iso885910", alphabet: iso(charmap.ISO8859_10)},
	{Number: 14, Name: "LATIN7", aliases: "iso885913", alphabet: iso(charmap.ISO8859_13)},
	{Number: 15, Name: "LATIN8", aliases: "iso885914", alphabet: iso(charmap.ISO8859_14)},
	{Number: 16, Name: "LATIN9", aliases: "iso885915", alphabet: iso(charmap.ISO8859_15)},
	{Number: 17, Name: "LATIN10", aliases: "iso885916", alphabet: iso(charmap.ISO8859_16)},
	{Number: 18, Name: "WIN1256", aliases: "windows1256", alphabet: &single{table: charmap.Windows1256}},
	{Number: 19, Name: "WIN1258", aliases: "abc tcvn tcvn5712 vscii windows1258",
		alphabet: &single{table: charmap.Windows1258}},
	{Number: 20, Name: "WIN866", aliases: "alt windows866", alphabet: &single{table: charmap.CodePage866}},
	{Number: 21, Name: "WIN874", aliases: "windows874", alphabet: &single{table: charmap.Windows874}},
	{Number: 22, Name: "KOI8R", aliases: "koi8", alphabet: &single{table: charmap.KOI8R}},
	{Number: 23, Name: "WIN1251", aliases: "win windows1251", alphabet: &single{table: charmap.Windows1251}},
	{Number: 24, Name: "WIN1252", aliases: "windows1252", alphabet: &single{table: charmap.Windows1252}},
	{Number: 25, Name: "ISO_8859_5", alphabet: iso(charmap.ISO8859_5)},
	{Number: 26, Name: "ISO_8859_6", alphabet: iso(charmap.ISO8859_6)},
	{Number: 27, Name: "ISO_8859_7", alphabet: iso(charmap.ISO8859_7)},
	{Number: 28, Name: "ISO_8859_8", alphabet: iso(charmap.ISO8859_8)},
	{Number: 29, Name: "WIN1250", aliases: "windows1250", alphabet: &single{table: charmap.Windows1250}},
	{Number: 30, Name: "WIN1253", aliases: "windows1253", alphabet: &single{table: charmap.Windows1253}},
	{Number: 31, Name: "WIN1254", aliases: "windows1254", alphabet: &single{table: charmap.Windows1254}},
	{Number: 32, Name: "WIN1255", aliases: "windows1255",
		alphabet: &single{table: charmap.Windows1255, other: map[byte]rune{0xca: 0}}},
	{Number: 33, Name: "WIN1257", aliases: "windows1257", alphabet: &single{table: charmap.Windows1257}},
	{Number: 34, Name: "KOI8U", alphabet: &single{table: charmap.KOI8U, other: map[byte]rune{0xae: '╝', 0xbe: '╬'}}},
	{Number: 35, Name: "SJIS", aliases: "mskanji shiftjis win932 windows932", Client: true,
		alphabet: sjis()},
	{Number: 36, Name: "BIG5", aliases: "win950 windows950", Client: true,
		alphabet: big5()},
	{Number: 37, Name: "GBK", aliases: "win936 windows936", Client: true,
		alphabet: &wide{table: simplifiedchinese.GBK, size: pairSize, valid: validPair, lacks: lacksGBK,
			other: map[string]rune{"\x80": '€'}}},
	{Number: 38, Name: "UHC", aliases: "win949 windows949", Client: true,
		alphabet: &wide{table: korean.EUCKR, size: pairSize, valid: validPair, other: korea}},
	{Number: 39, Name: "GB18030", Client: true,
		alphabet: &wide{table: simplifiedchinese.GB18030, size: gb18030Size, valid: validGB18030}},
	{Number: 40, Name: "JOHAB", Client: true},
	{Number: 41, Name: "SHIFT_JIS_2004", Client: true},
}

// korea is a character that is not in x/text's table.
var korea = map[string]rune{"\xa2\xe8": '㉾'}

func iso(table *charmap.Charmap) *single { return &single{table: table, controls: true} }

func validEUC(char []byte) bool { return inEUC(char...) }

// sjis encodes the characters that NEC and IBM have added by the codes of IBM.
func sjis() *wide {
	w := &wide{table: japanese.ShiftJIS, size: sjisSize, valid: validSJIS}
	w.codes = codesOf(w, 0xfa)
	return w
}

func big5() *wide {
	w := &wide{table: traditionalchinese.Big5, size: pairSize, valid: validPair, lacks: lacksBig5,
		other: map[string]rune{"\xa1\x45": '•', "\xa1\x4e": '､', "\xa1\xc2": '‾', "\xa1\xe3": '∼', "\xa1\xf2": '♁',
			"\xa1\xf3": '☉', "\xa2\x41": '／', "\xa2\x42": '＼', "\xa2\x44": '¥', "\xa2\x46": '¢', "\xa2\x47": '£'}}
	w.codes = codesOf(w, 0xff)
	return w
}
