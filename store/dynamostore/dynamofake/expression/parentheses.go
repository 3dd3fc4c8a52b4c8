package expression

const redundantParentheses = "The expression has redundant parentheses;"

// redundant says whether among the tokens before a place there are parentheses that hold nothing but
// others. DynamoDB takes all others, whether they change anything or not. Those of a function or of IN
// hold a list.
func (p *parser) redundant(before int) bool {
	for i := range p.tokens[:before] {
		if !p.tokens[i].is("(") || i+1 == before || !p.tokens[i+1].is("(") || p.opensList(i) {
			continue
		}
		if outer, inner := p.closes(i), p.closes(i+1); outer < before && outer > 0 && inner == outer-1 {
			return true
		}
	}
	return false
}

// opensList says whether the parenthesis at a place opens the list of a function or of IN.
func (p *parser) opensList(at int) bool {
	if at == 0 {
		return false
	}
	t := &p.tokens[at-1]
	return t.is("IN") || t.shape == word && !keyword(t)
}

// closes is the place of the parenthesis that closes the one at a place, -1 if none does.
func (p *parser) closes(from int) int {
	depth := 0
	for i := from; i < len(p.tokens); i++ {
		switch t := &p.tokens[i]; {
		case t.is("("):
			depth++
		case t.is(")"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// aroundOperand says whether the parenthesis at hand stands around an operand of a comparison rather
// than around a condition.
func (p *parser) aroundOperand() bool {
	if !p.now().is("(") {
		return false
	}
	end := p.closes(p.at)
	if end < 0 {
		return false
	}
	behind := &p.tokens[min(end+1, len(p.tokens)-1)]
	for _, operator := range []string{"=", "<>", "<=", "<", ">=", ">", "BETWEEN", "IN"} {
		if behind.is(operator) {
			return true
		}
	}
	return false
}

// aroundSum says whether the parenthesis at hand stands around all that an update assigns.
func (p *parser) aroundSum() bool {
	if !p.now().is("(") {
		return false
	}
	end := p.closes(p.at)
	if end < 0 {
		return false
	}
	behind := &p.tokens[min(end+1, len(p.tokens)-1)]
	return !behind.is("+") && !behind.is("-")
}
