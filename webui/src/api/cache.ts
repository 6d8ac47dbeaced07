// What is asked of the server, and kept.
import { QueryClient } from '@tanstack/react-query';
import { wasRefused } from './client';

export const makeCache = () => new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2000,
      // What the server refused it refuses again; a broken connection may come back.
      retry: (count, error) => count < 2 && !wasRefused(error),
      // A browser that calls itself offline may reach a server of its own machine or network; and a change that waited would be made when nobody expects it.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});
