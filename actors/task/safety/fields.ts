/** Where a page has something to write in, told by the roles that stand in its text. */
const role = '\\b(?:textbox|searchbox|combobox|spinbutton)\\b'
const field = new RegExp(role)
const focusedField = new RegExp(`${role}[^\\n]*\\bfocused\\b`)

/** Whether a line, or a page, has a field for text. */
export const showsField = (text: string): boolean => field.test(text)

/** Whether keys go into one. */
export const isInField = (text: string): boolean => focusedField.test(text)
