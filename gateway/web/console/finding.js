/** Shows what the field at the top finds in a list below it, which the arrow keys move through. */
import { focusByKeys } from '../shared/focus-by-keys.js'

const waitMs = 150

export function offerFinding() {
  const field = document.getElementById('find')
  if (!field) return
  focusByKeys(field)
  const list = listBelow(field)
  let timer
  let newest = 0
  const look = async () => {
    const mine = ++newest
    const groups = await groupsFor(field)
    if (mine !== newest || document.activeElement !== field) return
    list.replaceChildren(...groups)
    show(field, list, groups.length > 0)
  }
  const lookSoon = (ms) => {
    clearTimeout(timer)
    timer = setTimeout(() => void look().catch(() => close(field, list)), ms)
  }
  field.addEventListener('input', () => lookSoon(waitMs))
  field.addEventListener('focus', () => lookSoon(0))
  field.addEventListener('blur', () => close(field, list))
  field.addEventListener('keydown', (event) => onKey(event, field, list))
  // The field keeps the focus, so that a click on the list does not close it.
  list.addEventListener('mousedown', (event) => event.preventDefault())
}

function listBelow(field) {
  const list = document.createElement('div')
  list.id = 'find-list'
  list.hidden = true
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', 'What was found')
  field.after(list)
  field.setAttribute('role', 'combobox')
  field.setAttribute('aria-autocomplete', 'list')
  field.setAttribute('aria-controls', list.id)
  field.setAttribute('aria-expanded', 'false')
  return list
}

/** The groups of the page that the form leads to, with links as options. */
async function groupsFor(field) {
  const answer = await fetch(
    `${field.form.action}?${new URLSearchParams({ q: field.value.trim() })}`,
  )
  if (!answer.ok || answer.redirected) return []
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  let count = 0
  return [...page.querySelectorAll('#hits .hits')].map((section) => {
    const group = document.createElement('div')
    const heading = document.createElement('p')
    heading.textContent = section.querySelector('h2').textContent
    heading.id = `find-group-${count}`
    group.setAttribute('role', 'group')
    group.setAttribute('aria-labelledby', heading.id)
    const links = [...section.querySelectorAll('a')]
    for (const link of links) {
      link.id = `find-${count++}`
      link.tabIndex = -1
      link.setAttribute('role', 'option')
      link.setAttribute('aria-selected', 'false')
    }
    group.append(heading, ...links)
    return group
  })
}

function onKey(event, field, list) {
  if (event.key === 'Escape' && !list.hidden) {
    event.preventDefault()
    close(field, list)
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    move(field, list, event.key === 'ArrowDown' ? 1 : -1)
  } else if (event.key === 'Enter') {
    const chosen = list.hidden ? null : list.querySelector('[aria-selected=true]')
    if (!chosen) return
    event.preventDefault()
    chosen.click()
  }
}

function move(field, list, by) {
  const options = [...list.querySelectorAll('[role=option]')]
  if (list.hidden || options.length === 0) return
  const at = options.findIndex((option) => option.ariaSelected === 'true')
  const next = at < 0 && by < 0 ? options.length - 1 : (at + by + options.length) % options.length
  options[at]?.setAttribute('aria-selected', 'false')
  options[next].setAttribute('aria-selected', 'true')
  options[next].scrollIntoView({ block: 'nearest' })
  field.setAttribute('aria-activedescendant', options[next].id)
}

function show(field, list, isShown) {
  list.hidden = !isShown
  field.setAttribute('aria-expanded', String(isShown))
  field.removeAttribute('aria-activedescendant')
}

const close = (field, list) => show(field, list, false)
