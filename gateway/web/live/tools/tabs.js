/** The title of the page in front, for every viewer; the list of tabs, for those in control. */
import { Panel } from './panel.js'

const titleEveryMs = 5_000
const listEveryMs = 2_000

export class Tabs {
  #link
  #listing
  #title = document.querySelector('#page-title')
  #list = document.querySelector('#tabs-list')
  #note = document.querySelector('#tabs-note')
  #panel = new Panel('tabs', {
    onOpened: () => {
      this.#listing = setInterval(() => this.#readList(), listEveryMs)
      void this.#readList().then(() => this.#list.querySelector('[aria-current]')?.focus())
    },
    onClosed: () => clearInterval(this.#listing),
  })

  constructor() {
    setInterval(() => this.#readTitle(), titleEveryMs)
  }

  use(view) {
    this.#link = view?.rights && view.link
    this.#panel.isOffered = view?.rights?.includes('tabs') ?? false
    void this.#readTitle()
  }

  async #readTitle() {
    if (!this.#link || document.hidden) return
    try {
      const { title } = await this.#link.ask({ type: 'title' })
      this.#title.textContent = title
      this.#title.title = title
    } catch {
      // The last title stays; it is requested again later.
    }
  }

  async #readList() {
    try {
      const { tabs } = await this.#link.ask({ type: 'tabs' })
      this.#show(tabs)
      this.#note.textContent = ''
    } catch (error) {
      this.#note.textContent = error.message
    }
  }

  /** Keeps the buttons of existing tabs, so that none loses the focus. */
  #show(tabs) {
    const known = new Map([...this.#list.children].map((item) => [item.dataset.tab, item]))
    const items = tabs.map((tab) => {
      const item = known.get(tab.id) ?? this.#item(tab.id)
      fill(item, tab)
      known.delete(tab.id)
      return item
    })
    for (const gone of known.values()) gone.remove()
    for (const [place, item] of items.entries()) {
      if (this.#list.children[place] !== item) {
        this.#list.insertBefore(item, this.#list.children[place] ?? null)
      }
    }
  }

  #item(id) {
    const item = document.createElement('li')
    const button = document.createElement('button')
    item.dataset.tab = id
    button.type = 'button'
    button.append(document.createElement('strong'), document.createElement('span'))
    button.addEventListener('click', () => void this.#select(id))
    item.append(button)
    return item
  }

  async #select(id) {
    try {
      await this.#link.ask({ type: 'tab_select', tab: id })
      await Promise.all([this.#readList(), this.#readTitle()])
    } catch (error) {
      this.#note.textContent = error.message
    }
  }
}

function fill(item, { title, url, selected }) {
  const [button] = item.children
  const [name, address] = button.children
  name.textContent = title || 'No title'
  address.textContent = url
  if (selected) button.setAttribute('aria-current', 'true')
  else button.removeAttribute('aria-current')
}
