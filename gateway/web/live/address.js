/** Where this view is: everything is asked for relative to the page, whatever proxy is in between. */
const page = new URL(location.href)
const sessionId = page.pathname.replace(/\/+$/, '').split('/').pop()

export const sessionName = sessionId

/** The token of the page's own address, which is kept fresh so that a reload works. */
export function currentToken() {
  return new URL(location.href).searchParams.get('token') ?? ''
}

export function keepToken(token) {
  const here = new URL(location.href)
  here.searchParams.set('token', token)
  history.replaceState(history.state, '', here)
}

export function stateUrl() {
  return withToken(`${sessionId}/state`)
}

export function socketUrl() {
  const url = withToken(`${sessionId}/socket`)
  url.protocol = url.protocol.replace('http', 'ws')
  return url
}

function withToken(path) {
  const url = new URL(path, page)
  url.searchParams.set('token', currentToken())
  return url
}
