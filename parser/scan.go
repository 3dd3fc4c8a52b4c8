package parser

// Token is a token of a text: its place there, from Start to before End.
type Token struct{ Start, End int }

// Scan reads the tokens of a text, without comments. The error is PostgreSQL's.
func Scan(text string) ([]Token, error) {
	list, err := scan(text, &watch{})
	if err != nil {
		return nil, err
	}
	out := make([]Token, 0, len(list))
	for _, t := range code(list) {
		out = append(out, Token{int(t.Start), int(t.End)})
	}
	return out, nil
}
