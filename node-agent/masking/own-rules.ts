/** What every mask hides, beside what its session names. */

/** Chromium shows a password as dots; the others are fields of a payment, and codes that are used once. */
export const ownSelectors: readonly string[] = [
  'input[type=password]',
  ...['cc-number', 'cc-csc', 'cc-exp', 'cc-exp-month', 'cc-exp-year', 'one-time-code'].map(
    (kind) => `[autocomplete~="${kind}" i]`,
  ),
]

/** Numbers of payment cards: four groups of four digits, or four, six and five, with or without gaps. */
export const cardNumber =
  '\\b(?:[3-6]\\d{3}[ -]?\\d{4}[ -]?\\d{4}[ -]?\\d{4}|3[47]\\d{2}[ -]?\\d{6}[ -]?\\d{5})\\b'
