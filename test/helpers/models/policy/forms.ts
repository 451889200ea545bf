/** The policy's moves for forms. */
import {
  check,
  choose,
  click,
  done,
  fill,
  knowing,
  remembering,
  on,
  read,
  recall,
  selectTab,
  titled,
  together,
  upload,
  waitFor,
  unless,
  type Move,
} from './moves.ts'

export const forms: readonly (readonly [goal: RegExp, moves: readonly Move[]])[] = [
  [
    /sign up as Ada Lovelace/i,
    [
      on(/Welcome, Ada/, done('Ada Lovelace has an account.')),
      on(/is taken/, fill('textbox "User name"', 'ada1815')),
      unless(/is taken/, fill('textbox "User name"', 'ada')),
      together(
        fill('textbox "Full name"', 'Ada Lovelace'),
        fill('textbox "E-mail"', 'ada@example.org'),
        fill('date "Born"', '1815-12-10'),
        choose('combobox "Country"', 'Finland'),
        check('radio "Paid"'),
      ),
      // The page asks for it although the goal does not name it: learned from the page's error.
      on(/accept the terms\.$/m, check('checkbox "I accept')),
      click('button "Create account"'),
    ],
  ],
  [
    /visiting cards/i,
    [
      on(/Thank you/, done('The cards are ordered.')),
      fill('textbox "Name on the card"', 'Grace Hopper'),
      fill('spinbutton "How many"', '200'),
      together(check('radio "Linen"'), fill('textbox "Street"', '7 Harbour Road')),
      on(/linen[^]*7 Harbour Road/, click('button "Confirm the order"')),
      click('button "Next"'),
    ],
  ],
  [
    /ordered under number 1042/,
    [
      on(/That is right/, done(read(/1042 \| ([^|]+) \|/))),
      fill('textbox "Customer"', read(/ 1042 \| ([^|]+) \|/)),
      click('button "Submit"'),
    ],
  ],
  [
    /Log in to the bank as ada/,
    [
      on(/Balance/, done(read(/(Balance: .*)/))),
      fill('textbox "User"', 'ada'),
      fill('textbox "Password"', '<secret>password</secret>', { shows: '•' }),
      click('button "Log in"'),
    ],
  ],
  [
    /upload a file named receipt\.txt/,
    [
      on(/Thank you/, done('The receipt is handed in.')),
      on(/No file yet/, upload('file "Receipt"', 'receipt.txt', 'Lunch 12.50')),
      click('button "Send"'),
    ],
  ],
  [
    /newsletter/,
    [
      on(/You are subscribed/, done('grace@example.org is subscribed.')),
      fill('textbox "E-mail"', 'grace@example.org'),
      click('button "Subscribe"'),
    ],
  ],
  [
    /Pay the bill with the card/,
    [
      on(/Paid, thank you/, done('The bill is paid.')),
      fill('textbox "Card number"', '4242 4242 4242 4242'),
      click('button "Pay'),
    ],
  ],
  [
    /Order green tea/,
    [
      on(/The kettle is on/, done('Tea is ordered.')),
      together(
        choose('combobox "Tea"', 'Green'),
        choose('listbox "With"', 'Lemon', 'Honey'),
        choose('combobox "Pot"', 'Large'),
      ),
      click('button "Order"'),
    ],
  ],
  [
    /for breakfast/,
    [
      on(/Good night/, done('Breakfast is ordered.')),
      together(
        check('checkbox "Eggs"'),
        check('checkbox "Ham"', false),
        check('checkbox "Toast"'),
        check('radio "Coffee"'),
        check('switch "Wake me"'),
      ),
      fill('time "at"', '07:00'),
      click('button "Send"'),
    ],
  ],
  [
    /Replace the note by/,
    [
      on(/^Saved\.$/m, done('The note is saved.')),
      fill('textbox "Note"', 'See you at noon.'),
      click('button "Save the note"'),
    ],
  ],
  [
    /Sign the guest book as Ada/,
    [
      on(/Thank you, Ada/, done('The guest book is signed.')),
      fill('textbox "Your name"', 'Ada'),
      click('button "Sign"'),
    ],
  ],
  [
    /Weigh the parcel/,
    [
      on(/^Thank you\.$/m, done(read(/(weighs \d+ g)/))),
      fill('textbox "Weight', read(/weighs (\d+) g/)),
      on(/weighs/, click('button "Enter"')),
      click('button "Weigh the parcel"'),
      on(/Weighing …/, waitFor('weighs')),
    ],
  ],
  [
    /rules of the competition/i,
    [
      titled('Rules', remembering(read(/(entry code is \w+)/), selectTab('Competition'))),
      on(/You take part/, done('Entered.')),
      fill('textbox "Entry code"', recall(/entry code is (\w+)/)),
      knowing(/entry code is/, click('button "Enter"')),
      click('link "the rules"'),
    ],
  ],
  [
    /locker’s code/,
    [
      titled('Door', remembering(read(/(locker \w+),/), click('link "Back'))),
      on(/The locker is open/, done('Open.')),
      fill('textbox "Code"', recall(/locker ([A-Z0-9]{6})/)),
      knowing(/locker [A-Z0-9]{6}/, click('button "Open"')),
      click('link "Go to the door"'),
    ],
  ],
  [
    /books of Borges/,
    [
      on(/Ficciones is yours/, done('Ficciones is borrowed.')),
      fill('searchbox "Search the library"', 'Borges'),
      check('checkbox "Spanish only"'),
      on(/1944, es/, click('button "Borrow"')),
      click('button "Search"'),
    ],
  ],
]
