/** The policy's moves for searching, moving, opening and choosing. */
import {
  after,
  answerDialog,
  check,
  click,
  clickAt,
  done,
  doneWith,
  drag,
  fill,
  hover,
  inLine,
  on,
  press,
  read,
  scroll,
  unless,
  waitFor,
  type Move,
} from './moves.ts'
import type { View } from './view.ts'

export const widgets: readonly (readonly [goal: RegExp, moves: readonly Move[]])[] = [
  [
    /most expensive telescope/,
    [
      on(/is reserved/, done(read(/(\w+ is reserved)/))),
      on(/price, highest first/, click(inLine('| yes |', 'button "Reserve"'))),
      click('button "Price"'),
    ],
  ],
  [
    /move the card “Write the tests” to Done/,
    [
      on(/Done has a new card/, done('Moved.')),
      drag('element "Write the tests"', 'element "Buy pens"'),
    ],
  ],
  [
    /volume to 70/,
    [
      on(/^Saved\.$/m, done('The volume is 70.')),
      on(/The volume is 70\./, click('button "Save"')),
      drag('clickable "Knob"', 'clickable "70"'),
    ],
  ],
  [
    /colour teal/,
    [
      on(/on its way/, done('Teal paint is ordered.')),
      click('button "Teal"'),
      click('button "Order the paint"'),
      click('button "Choose a colour"'),
    ],
  ],
  [/report of March/, [on(/was downloaded/, done('Downloaded.')), click('link "Download March"')]],
  [
    /badge 7731/,
    [
      on(/Calling/, done('They are being called.')),
      click(inLine('badge 7731', 'button "Call"')),
      click('button "Next page"'),
    ],
  ],
  [/post of Rosalind/, [on(/is glad/, done('Liked.')), click('button "Like Rosalind"'), scroll(8)]],
  [
    /three tickets/,
    [
      on(/in your pocket/, done('Three tickets.')),
      on(/\b3 tickets/, click('button "Continue"')),
      on(/\b1 tickets/, click('button "More tickets"', 2)),
      click('button "More tickets"'),
    ],
  ],
  [
    /Refuse the cookies/,
    [
      on(/Rain, then sun/, done('Rain, then sun.')),
      click('button "Refuse"'),
      click('button "Tomorrow"'),
    ],
  ],
  [
    /night of 24 March 2027/,
    [
      on(/lamp will be lit/, done('Booked.')),
      on(/: 24 March 2027/, click('button "Book"')),
      on(/\bMarch 2027/, click('clickable "24"')),
      on(/(January|February) 2027/, click('button "Month after"')),
      click('textbox "Night"'),
    ],
  ],
  [/its grid says 300 across and 200 down/, [on(/Gold/, done('Gold.')), clickAt(300, 200)]],
  [
    /trains to Neustadt in Hessen/,
    [
      on(/Three trains/, done('Three trains a day.')),
      on(/: Neustadt \(Hessen\)/, click('button "Search trains"')),
      click('option "Neustadt (Hessen)"'),
      fill('combobox "To"', 'Neust'),
      waitFor('Neustadt (Hessen)'),
    ],
  ],
  [
    /opening hours/,
    [
      on(/from ten to six/, done('From ten to six.')),
      click('link "Opening hours"'),
      hover('clickable "Visit"'),
    ],
  ],
  [
    /Delete the photo/,
    [
      on(/Two photos are left/, done('Deleted.')),
      click('button "Not now"'),
      click('button "Delete it"'),
      click('button "Delete Blurred"'),
    ],
  ],
  [
    /Open the garage/,
    [
      on(/Who is there/, answerDialog(true, 'Ada')),
      on(/standing behind the door/, answerDialog(true)),
      on(/Mind the cat/, answerDialog(true)),
      on(/The door is open/, done('Open.')),
      click('button "Open the garage"'),
    ],
  ],
  [/Tune the radio to 98\.5/, [on(/Playing/, done('Playing.')), tune]],
  [
    /Buy two notebooks and a pen/,
    [
      on(/Paid/, done(read(/(Paid .*€)/))),
      unless(/2 × Notebook/, click('button "Add Notebook')),
      unless(/1 × Pen/, click('button "Add Pen')),
      fill('textbox "Voucher"', 'INK10'),
      on(/Total: 21\.20/, click('button "Apply"')),
      on(/Total: (1\d|20)\.\d\d/, click('button "Pay"')),
    ],
  ],
  [
    /sounds off and make the text large/,
    [
      on(/settings are kept/, done('Quiet and large.')),
      check('checkbox "Play sounds"', false),
      check('radio "Large"'),
      on(/tab "Display" selected/, click(inLine('"Text"', ''))),
      click('tab "Display"'),
    ],
  ],
  [
    /plan\.md, which is somewhere below projects/,
    [
      on(/Plan: up/, done('Plan: up.')),
      click(after('treeitem "projects', 'treeitem "plan.md"')),
      click('treeitem "projects" collapsed'),
      click('treeitem "rocket" collapsed'),
    ],
  ],
  [
    /four stars/,
    [
      on(/cook thanks you/, done('Four stars.')),
      on(/4 of 5/, click('clickable "Send the review"')),
      click('clickable .star-4'),
    ],
  ],
  [
    /message of Alan/,
    [
      on(/inbox is tidy/, done('Tidy.')),
      click(inLine('Alan:', 'clickable .trash')),
      click(inLine('Grace:', 'clickable .star')),
    ],
  ],
  [/two cheapest flights/, [doneWith(cheapest)]],
]

/** Five up, then half steps, in as few answers as possible. */
function tune(view: View) {
  const at = Number(/spinbutton "Dial"[^:]*: ([\d.]+)/.exec(view.page)?.[1])
  if (!/spinbutton "Dial"[^:]* focused/.test(view.page)) {
    return press('Tab')(view)
  }
  if (at <= 93.5) return press('PageUp')(view)
  if (at < 98.5) return press('ArrowUp', Math.min((98.5 - at) * 2, 5))(view)
  return press('Enter')(view)
}

function cheapest({ page }: View) {
  const flights = [...page.matchAll(/Flight (\w+): (\d+) €/g)]
  const sorted = flights.sort(([, , one], [, , other]) => Number(one) - Number(other))
  return { flights: sorted.slice(0, 2).map(([, number]) => number) }
}
