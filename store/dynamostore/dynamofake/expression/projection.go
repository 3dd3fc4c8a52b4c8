package expression

// ParseProjection reads the places that an answer is to have.
func ParseProjection(text string, s *Substitutes) ([]Path, error) {
	p := newParser("ProjectionExpression", text, s)
	var paths []Path
	for p.err == nil {
		paths = append(paths, p.path())
		if !p.take(",") {
			break
		}
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	if err := check(paths); err != nil {
		return nil, invalid("Invalid ProjectionExpression: %v", err)
	}
	return paths, nil
}
