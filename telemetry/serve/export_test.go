package serve

// AppendFrame is tested from outside as the wire sees it.
var AppendFrame = appendFrame
