// Goal: a path that a caller names for a redirect stays where it may lead, as a browser reads it.
import t from 'tap'
import { pathWithin } from '../../../../gateway/html/answers/local-path.ts'

const roots = ['/console', '/staff']

t.test('paths within are kept, as a browser follows them', async (t) => {
  for (const path of ['/console', '/console/', '/staff/a/b?c=d&e=%2F', '/console?next=/../x']) {
    t.equal(pathWithin(path, roots), path)
  }
  t.equal(pathWithin('/console/a/../b', roots), '/console/b')
  t.equal(pathWithin('/console/../staff', roots), '/staff')
})

t.test('all others are refused', async (t) => {
  for (const path of [
    ...['', '/', '/x', '/consoles', 'console', '//console/x', '///console', 'http://x/console'],
    ...['/console/../../x', '/console/..', '/console/../consoles', '/x/../../v1/me'],
    ...['/console/%2e%2e/x', '/console/.%2E/x', '/console/..//evil.example/console'],
    ...['/console/..%2fx', '/console/%2F..', '/console/..%5Cx', '/console\\..\\x', '/console/ x'],
    ...['/console/x\r\nset-cookie: a=b', '/console?a\nb'],
  ]) {
    t.equal(pathWithin(path, roots), undefined, path)
  }
})
