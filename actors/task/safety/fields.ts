/** Detects text fields of a page by the roles in its snapshot. */
const role = '\\b(?:textbox|searchbox|combobox|spinbutton)\\b'
const field = new RegExp(role)
const focusedField = new RegExp(`${role}[^\\n]*\\bfocused\\b`)

/** True if a line or a page has a text field. */
export const showsField = (text: string): boolean => field.test(text)

/** True if the keyboard focus is in a text field. */
export const isInField = (text: string): boolean => focusedField.test(text)
