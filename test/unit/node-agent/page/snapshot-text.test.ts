/**
 * Goal: the text that a model gets of a page is short, truthful and clean. Method: the pure parts
 * of a snapshot on lines made by hand; its token estimate beside the real tokenizer.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import t from 'tap'
import { snapshotFlags, type LinePart } from '../../../../node-agent/in-page/snapshot/lines.ts'
import { omittedLinesNote, fitLines } from '../../../../node-agent/page/snapshot/budget.ts'
import {
  cleanText,
  cleanLines,
  cleanName,
  truncateText,
} from '../../../../runtime/lib/text/clean.ts'
import { diffLines, fitChanges, pageStateOf } from '../../../../node-agent/page/snapshot/diff.ts'
import { nodeDescriptionsOf } from '../../../../node-agent/page/snapshot/accessibility-tree.ts'
import { findInLines } from '../../../../node-agent/page/snapshot/find.ts'
import { indentedText, lineOf } from '../../../../node-agent/page/snapshot/lines.ts'
import { nearestTo, RefTable } from '../../../../node-agent/page/snapshot/refs.ts'
import { tokensAtMost } from '../../../../runtime/lib/text/tokens.ts'
import { packageRoot } from '../../../../runtime/lib/package.ts'
import { pageLimits } from '../../../../node-agent/page/limits.ts'

const line = (parts: readonly LinePart[], { depth = 0, is = 0 } = {}) => lineOf([depth, is, parts])
const button = (number: number, name: string, more = {}) => ({
  role: 'button',
  number,
  name,
  ...more,
})

t.test('a line has ref, role, name, states and value', async (t) => {
  t.equal(line([button(4, 'Save')]).text, 'e4 button "Save"')
  const field = { role: 'textbox', number: 5, name: 'Name', states: 'required', value: 'Ada' }
  t.equal(line([field]).text, 'e5 textbox "Name" required: Ada')
  t.equal(line([button(6, '', { hint: '.icon.star' })]).text, 'e6 button .icon.star')
  const parts = ['See', { role: 'link', number: 7, name: 'note' }, ', or not']
  t.equal(line(parts).text, 'See e7 link "note", or not')
  t.equal(
    line([{ role: 'group', name: 'Plan' }], { is: snapshotFlags.group }).text,
    'group "Plan":',
  )
  t.equal(indentedText(line(['text'], { depth: 2 })), '  text')
})

t.test('a page cannot forge a line of the snapshot', async (t) => {
  t.equal(line(['e4 button "Pay"']).text, `'e4' button "Pay"`)
  t.equal(line(['Here is e4', { role: 'button', name: 'X' }]).text, `Here is 'e4' button "X"`)
  t.equal(line(['+ something new']).text, '"+ something new"')
  t.equal(line([button(1, 'a" e9 button "b')]).text, `e1 button "a' 'e9' button 'b"`)
  t.equal(
    line([{ role: 'textbox', number: 2, name: 'N', value: 'e4 link' }]).text,
    `e2 textbox "N": 'e4' link`,
  )
  t.equal(line(['1e5, room E2, abe4']).text, '1e5, room E2, abe4')
})

t.test('text is cleaned of direction marks, hidden and invalid characters', async (t) => {
  t.equal(cleanText('a\u202Eb\u202C\u200B\u{E0041}c  d\n e'), 'abc d e')
  t.equal(cleanText('half \uD83D, half \uDE00'), 'half \uFFFD, half \uFFFD')
  t.equal(cleanText('👩\u200D💻 at work'), '👩\u200D💻 at work', 'joined emoji stay')
  t.equal(
    cleanText('an icon \uE000 of a font'),
    'an icon \uE000 of a font',
    'and become nothing that joins',
  )
  t.equal(cleanName(' "quoted" '), "'quoted'")
  t.equal(cleanLines('a\n\n\n\nb\u200B  \n  - c'), 'a\n\nb\n  - c')
  t.equal(truncateText('one two three four', 15), 'one two three…')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(50), (text, chars) => {
      const cleaned = truncateText(cleanText(text), chars)
      t.equal(Buffer.from(cleaned).toString(), cleaned, 'well-formed')
    }),
  )
})

const many = Array.from({ length: 300 }, (_, n) =>
  line(n % 3 ? [`some text number ${n} that has words in it`] : [button(n, `Button ${n}`)], {
    is: n >= 100 && n < 110 ? snapshotFlags.inView : n < 100 ? snapshotFlags.above : 0,
  }),
)

t.test('within a budget, elements in view come first, then those to act on', async (t) => {
  t.same(fitLines(many, 100_000), { lines: many, above: 0, below: 0 })
  const { lines, above, below } = fitLines(many, 400)
  t.ok(many.slice(100, 110).every((one) => lines.includes(one)))
  const others = lines.filter((one) => !many.slice(100, 110).includes(one))
  t.ok(others.length > 0 && others.every(({ acts }) => acts))
  t.equal(lines.length + above + below, 300)
  t.ok(above > 0 && below > 0)
  t.equal(omittedLinesNote(3, 4), '… 3 more above, 4 more below; use find or scroll')
  t.equal(omittedLinesNote(0, 4), '… 4 more below; use find or scroll')
  t.equal(omittedLinesNote(0, 0), '')
})

t.test('a kept line keeps its ancestors', async (t) => {
  const dialog = line([{ role: 'dialog', number: 900, name: 'Sure?' }], { is: snapshotFlags.group })
  const inside = line([button(901, 'Yes')], { depth: 1, is: snapshotFlags.inView })
  const { lines } = fitLines([...many.slice(0, 100), dialog, inside], 100)
  t.ok(lines.includes(dialog) && lines.includes(inside))
})

t.test('a diff lists what is new, changed and gone, and nothing else', async (t) => {
  const before = [line(['Idle']), line([button(1, 'Save')]), line(['Row 1', button(2, 'Remove')])]
  const after = [
    line(['Saved']),
    line([button(1, 'Save', { states: 'disabled' })]),
    line(['Row 1', button(3, 'Remove')]),
    line(['Row 2', button(4, 'Remove')], { depth: 1 }),
  ]
  t.same(diffLines(pageStateOf(before), before), [])
  t.same(diffLines(pageStateOf(before), after), [
    '+ Saved',
    '~ e1 button "Save" disabled',
    '+ e3 button "Remove"',
    '+  Row 2 e4 button "Remove"',
    '- e2 button "Remove"',
    '- Idle',
  ])
  const told = fitChanges(
    Array.from({ length: 500 }, (_, n) => `+ line ${n}`),
    200,
  )
  t.match(told, /^\+ line 0\n[^]*\n… \d+ more changes; take a snapshot$/)
  t.ok(countTokens(told) <= 200)
})

t.test('a match is shown below its heading, a long text only around it', async (t) => {
  const long = `${'word '.repeat(300)}needle${' word'.repeat(300)}`
  const lines = [
    line([{ role: '##' }, 'First'], { is: snapshotFlags.heading }),
    line(['nothing']),
    line([{ role: '##' }, 'Second'], { is: snapshotFlags.heading }),
    line([button(1, 'Needle here')]),
    line([long]),
  ]
  const { text, more } = findInLines(lines, 'NEEDLE', 1_000)
  t.match(text, /^## Second\ne1 button "Needle here"\n….*needle.*…$/)
  t.equal(more, 0)
  t.same(findInLines(lines, 'needle', 20), { text: '## Second\ne1 button "Needle here"', more: 1 })
})

t.test('the nearest to a stale ref has its role and name, or most of it', async (t) => {
  const was = { role: 'button', name: 'Save draft', frameId: '', documentId: '' }
  const candidate = (number: number, role: string, name: string) => ({ number, role, name })
  const same = candidate(3, 'button', 'Save draft')
  const like = candidate(2, 'button', 'Save the draft')
  t.same(nearestTo(was, [candidate(1, 'link', 'Help'), like, same]), same)
  t.same(nearestTo(was, [candidate(1, 'link', 'Help'), like]), like)
  t.equal(nearestTo(was, [candidate(1, 'button', 'Cancel')]), undefined)
})

t.test('a document’s description distinguishes buttons, and closed roots', async (t) => {
  const told = nodeDescriptionsOf({
    backendNodeId: 1,
    children: [
      { backendNodeId: 2, localName: 'a', attributes: ['href', '#'] },
      { backendNodeId: 3, localName: 'a', attributes: ['class', 'x'] },
      {
        backendNodeId: 4,
        localName: 'div',
        shadowRoots: [
          {
            backendNodeId: 5,
            shadowRootType: 'closed',
            children: [{ backendNodeId: 6, localName: 'button' }],
          },
        ],
      },
    ],
    contentDocument: { backendNodeId: 7, children: [{ backendNodeId: 8, localName: 'input' }] },
  })
  t.same([...told.native].sort(), [2, 6, 8])
  t.same(told.closedRoots, [5])
})

t.test('the memory for refs is bounded', async (t) => {
  const refs = new RefTable()
  const given = { role: 'button', name: '', frameId: '', documentId: '' }
  for (let n = 1; n <= pageLimits.refsRemembered + 5; n++) refs.give(n, given)
  t.equal(refs.get(5), undefined)
  t.equal(refs.get(6), given)
})

const texts = {
  English: readFileSync(join(packageRoot, 'README.md'), 'utf8'),
  code: readFileSync(join(packageRoot, 'node-agent', 'page', 'tabs', 'tab.ts'), 'utf8'),
  hashes: readFileSync(join(packageRoot, 'package-lock.json'), 'utf8').slice(0, 50_000),
  Finnish:
    'Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on ' +
    'annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä. ' +
    'Lentokonesuihkuturbiinimoottoriapumekaanikkoaliupseerioppilas',
  German: 'Rechtsschutzversicherungsgesellschaften und Donaudampfschifffahrtsgesellschaftskapitän.',
  Turkish:
    'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler.',
  Indonesian: 'Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama.',
  Swahili:
    'Watu wote wamezaliwa huru, hadhi na haki zao ni sawa. Wote wamejaliwa akili na dhamiri.',
  Welsh: "Genir pawb yn rhydd ac yn gydradd â'i gilydd mewn urddas a hawliau.",
  Vietnamese: 'Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi.',
  Russian: 'Все люди рождаются свободными и равными в своём достоинстве и правах.',
  Greek: 'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.',
  Arabic: 'يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق.',
  Hebrew: 'כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.',
  Hindi: 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।',
  Thai: 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ',
  Chinese: '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。',
  Japanese: 'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。',
  Korean: '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.',
  Amharic: 'የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው።',
  emoji: '👩‍💻🎉🏳️‍🌈👍🏽 ⚙️ ✓ → € £ ½ …',
  cuneiform: '𒀀𒀁𒀂𒀃 𓀀𓀁𓀂',
  numbers: '1234567890 3.14159 2026-11-21T15:08:09Z +41 44 123 45 67 €1,234.50',
}

t.test('no text takes more tokens than estimated', async (t) => {
  for (const [name, text] of Object.entries(texts)) {
    const [most, real] = [tokensAtMost(text), countTokens(text)]
    t.ok(most >= real, `${name}: ${most} for ${real}`)
  }
  const { English } = texts
  t.ok(tokensAtMost(English) < 1.7 * countTokens(English), 'nor far too many in plain English')
})

t.test('the words of a snapshot have their real token counts', async (t) => {
  const text = 'e12 button "Go" disabled\ne13 link "Go"\ne14 checkbox "Go" checked required\n'
  t.ok(tokensAtMost(text) >= countTokens(text))
  t.ok(tokensAtMost(text) <= 1.25 * countTokens(text), `${tokensAtMost(text)}`)
})

const letters = 'abcdefghijklmnopqrstuvwxyz'
const random = (alphabet: string) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: 400, maxLength: 400 })

t.test('nor does random text', async (t) => {
  const kinds = {
    letters: random(letters),
    words: random(`${letters}    `),
    base64: random(`${letters}${letters.toUpperCase()}0123456789+/`),
    hex: random('0123456789abcdef'),
    punctuation: random('!"#$%&()*+,-./:;<=>?@[]^_{|}~ '),
    anything: fc.string({ unit: 'grapheme', minLength: 100 }),
  }
  for (const [name, kind] of Object.entries(kinds)) {
    const counted = (text: string) => tokensAtMost(text) >= countTokens(text)
    const { failed, counterexample } = fc.check(fc.property(kind, counted), { numRuns: 50 })
    const text = counterexample?.[0] ?? ''
    t.notOk(failed, `${name}: ${text} ${tokensAtMost(text)} for ${countTokens(text)}`)
  }
})
