/** Goal: a field without a value is not there at all. */
import t from 'tap'
import { defined } from '../../../proto/defined.ts'

t.test('fields that are undefined are left out, others stay as they are', async (t) => {
  const url: string | undefined = undefined
  t.same(Object.entries(defined({ url, title: '', n: 0, none: null })), [
    ['title', ''],
    ['n', 0],
    ['none', null],
  ])
})
